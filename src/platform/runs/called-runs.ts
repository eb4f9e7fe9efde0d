import type { Micros } from '../../contract/values/micros.ts'
import type { CallResult } from '../../engine/pieces/ports.ts'
import { idempotencyKey, isCallWait } from '../../engine/runs/run-keys.ts'
import type { RunAnswer } from '../../engine/runs/run-state.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { listWaits, resumeWait } from '../store/automations/run-waits.ts'
import {
  findRun,
  listKeyedUnfinishedRuns,
  listUnfinishedByDedupe,
  type RunLease,
  type RunRow,
  rescheduleRun,
} from '../store/automations/runs.ts'
import { accountQuery } from '../store/database/account-query.ts'
import type { AccountQuery } from '../store/database/connection.ts'

/** What decides the result of a called run. */
type EndedRun = Pick<RunRow, 'id' | 'status' | 'answer' | 'error'>

/** Prefix of the deduplication keys of called runs. Stored rows have it: it never changes. */
const prefix = 'call '

/**
 * Returns the deduplication key of the run that a step calls, from the idempotency key of the step. Stored runs have it: with
 * another one, a repeated step would start a second run.
 */
export const callKey = (stepKey: string): string => `${prefix}${stepKey}`

/** Returns the id of the run that called a run; undefined if none did. */
export const callerOf = ({ dedupe_key: key }: Pick<RunRow, 'dedupe_key'>): string | undefined =>
  key?.startsWith(prefix) ? key.slice(prefix.length, key.indexOf(':')) : undefined

/** Returns the result of a called run; undefined while it has neither responded nor ended. */
export function callResult({ id, status, answer, error }: EndedRun): CallResult | undefined {
  if (answer !== null) return { status: 'success', data: (parseJson(answer) as RunAnswer).body }
  if (status === 'FAILED')
    return { status: 'error', errorMessage: `The called automation failed in run ${id}: ${error}` }
  return status === 'SUCCEEDED' ? { status: 'error', errorMessage: noResponse(id) } : undefined
}

const noResponse = (run: string): string =>
  `The called automation ended without a response in run ${run}. Add a returnResponse step to it, or turn off waitForResponse.`

/**
 * Ends the wait of the step that called a run, once the run has responded or ended, in the transaction that records
 * that. With a lease, the caller of this function must continue the returned run; without one, any process does.
 */
export async function wakeCaller(
  query: AccountQuery,
  called: EndedRun & Pick<RunRow, 'dedupe_key' | 'account_id'>,
  now: Micros,
  lease?: RunLease,
): Promise<{ readonly id: string; readonly account: number } | undefined> {
  const id = callerOf(called)
  const result = id === undefined ? undefined : callResult(called)
  const run = id === undefined || !result ? undefined : await findRun(query, id)
  if (run?.account_id !== called.account_id) return undefined
  // The key has the round of the caller, so a run that an earlier round called cannot end the wait of a later one.
  const isOwn = (path: string): boolean => callKey(idempotencyKey(run, path)) === called.dedupe_key
  const wait = (await listWaits(query, run.number)).find((it) => it.resumed_at === null && isOwn(it.path))
  if (!wait || !(await resumeWait(query, wait.id, stringifyJson(result), now))) return undefined
  return (await rescheduleRun(query, run.id, now, lease)) ? { id: run.id, account: run.account_id } : undefined
}

/**
 * Returns the unfinished runs that steps of a run wait for, by the path of the step. `running` is the path of a step that
 * is running: it may have called a run and not stored its wait yet.
 */
export async function listAwaitedRuns(
  query: AccountQuery,
  run: Pick<RunRow, 'id' | 'number' | 'round' | 'account_id'>,
  running?: string,
): Promise<ReadonlyMap<string, RunRow>> {
  const waits = (await listWaits(query, run.number)).filter((it) => it.resumed_at === null && isCallWait(it.id))
  const paths = [...waits.map((it) => it.path), ...(running === undefined ? [] : [running])]
  const byKey = new Map(paths.map((path) => [callKey(idempotencyKey(run, path)), path]))
  const runs = await listUnfinishedByDedupe(accountQuery(query, run.account_id), [...byKey.keys()])
  return new Map(runs.map((it) => [byKey.get(it.dedupe_key ?? '') ?? '', it]))
}

/** Lets the steps fail that wait for runs of an automation, in the transaction that deletes it. */
export async function failCalls(query: AccountQuery, automation: string, now: Micros): Promise<void> {
  for (const run of await listKeyedUnfinishedRuns(query, automation))
    await wakeCaller(query, { ...run, status: 'FAILED', error: 'The automation was deleted.' }, now)
}
