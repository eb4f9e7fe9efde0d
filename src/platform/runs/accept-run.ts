import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import type { Micros } from '../../contract/values/micros.ts'
import { isSkipped } from '../../engine/definition/node.ts'
import { stringifyJson } from '../../node/json.ts'
import { isStopped } from '../store/accounts/accounts.ts'
import { startStep } from '../store/automations/run-steps.ts'
import {
  findRunByDedupe,
  insertRun,
  type NewRunRow,
  type RunRow,
  runJobKind,
  updateRun,
} from '../store/automations/runs.ts'
import type { AccountQuery } from '../store/database/connection.ts'
import { schedulePurge } from '../store/runtime/purge-batches.ts'
import { heldUntil, insertJob } from '../store/runtime/scheduled-jobs.ts'
import type { CachedVersion } from './program-cache.ts'
import { leaseMs } from './run-limits.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** A run to start: the automation, its version, and what triggered it. */
export interface RunRequest {
  /** With the restricted key that enabled the automation, or that starts the run. */
  readonly automation: { readonly id: string; readonly account_id: number; readonly key_id?: number | null }
  readonly version: CachedVersion
  /** Output of the trigger. */
  readonly payload: unknown
  readonly testing: boolean
  /** Deduplication key: a second request with the same key does not start another run of the automation. */
  readonly dedupe?: string | undefined
}

/** Run that this process accepted and must start. */
export interface AcceptedRun {
  readonly row: RunRow
  /** Path of the first step, which was started with the run. */
  readonly startedStep: string | undefined
  /** Whether the run waits until its account is resumed. `Runner.start` does nothing with it; the job of the run starts it then. */
  readonly isHeld?: boolean
}

interface NewRun extends RunRequest {
  /** The program of the version. */
  readonly trigger: AutomationNode
  readonly now: Micros
}

/**
 * Stores a run in the caller's transaction, with a job that this process has leased. Returns undefined for a duplicate. The
 * run of a stopped account is stored with a job that waits until it is resumed; a test, which a person started, runs.
 */
export async function acceptRun(
  query: AccountQuery,
  deps: Pick<RunnerDeps, 'newId' | 'machine' | 'owner' | 'wall'>,
  { automation, version, payload, testing, dedupe, trigger, now }: NewRun,
): Promise<AcceptedRun | undefined> {
  const account = automation.account_id
  let isHeld = false
  let row: RunRow | undefined
  // Another account may have taken the id in the meantime; then the run gets another one.
  while (!row) {
    const draft = newRun({ automation, version, payload, testing, dedupe, now }, await deps.newId(query, account, now))
    // Sent together, because each waits for an answer of the database.
    const [inserted, isAccountStopped] = await Promise.all([
      insertRun(query, draft),
      testing ? false : isStopped(query),
    ])
    row = inserted
    isHeld = isAccountStopped
    if (!row && dedupe !== undefined && (await findRunByDedupe(query, automation.id, dedupe))) return undefined
  }
  await schedulePurge(query, row.number, row.created_at)
  if (isHeld) {
    await updateRun(query, row.number, { claims: 0, held: 0 })
    const held = { account_id: account, kind: runJobKind, subject: row.id, due_at: heldUntil }
    await insertJob(query, { ...held, attempts: 0, lease_owner: null, lease_until: 0 })
    return { row, startedStep: undefined, isHeld }
  }
  const startedStep = outerFirstStep(trigger, deps.machine)
  if (startedStep !== undefined)
    await startStep(query, row, { account, path: startedStep, name: startedStep, position: 1, now })
  await insertRunJob(query, deps, row)
  return { row, startedStep }
}

/**
 * Returns the name of the first step of a program, if it may have effects outside its run. Other steps are written only
 * once, when they have ended.
 */
export function outerFirstStep({ nextAction }: AutomationNode, machine: RunnerDeps['machine']): string | undefined {
  const isInner =
    !nextAction || isSkipped(nextAction) || nextAction.type === 'LOOP_ON_ITEMS' || machine.isInner?.(nextAction)
  return isInner ? undefined : String(nextAction.name)
}

/**
 * Returns the row of a run that this process executes, before its first step. `claims` 1 and `held` 1 mean that this process has it:
 * the recorder writes only while `claims` is the same, and claim-run.ts takes a held run as one whose process died.
 */
export const newRun = (
  { automation, version, payload, testing, dedupe, now }: Omit<NewRun, 'trigger'>,
  id: string,
): NewRunRow => ({
  id,
  account_id: automation.account_id,
  automation_id: automation.id,
  version_id: version.id,
  testing: testing ? 1 : 0,
  status: 'RUNNING',
  payload: stringifyJson(payload) ?? 'null',
  claims: 1,
  held: 1,
  mark: 0,
  stalls: 0,
  round: 1,
  active: 0,
  idle: 0,
  answer: null,
  error: null,
  dedupe_key: dedupe ?? null,
  created_at: now,
  finished_at: null,
  cancelled_at: null,
  key_id: automation.key_id ?? null,
})

/** Schedules the job of a new run, which this process has leased. */
const insertRunJob = (
  query: AccountQuery,
  { owner, wall }: Pick<RunnerDeps, 'owner' | 'wall'>,
  { id, account_id, created_at }: NewRunRow,
): Promise<unknown> =>
  insertJob(query, {
    account_id,
    kind: runJobKind,
    subject: id,
    due_at: created_at,
    attempts: 0,
    lease_owner: owner,
    lease_until: wall() + leaseMs,
  })

/** Inserts a row and returns its number; undefined if its id is taken. */
type InsertRun = (row: NewRunRow) => Promise<number | undefined>

/**
 * Run that is executed before it is stored, because its caller waits for the end. It is stored with its first entry that
 * has an effect outside the run, or with its end. If the process dies before that, nothing has happened, and the caller
 * has no answer.
 */
export class UnstoredRun {
  /** The run. Its number is 0 until it is stored. */
  readonly row: RunRow
  /** Whether a transaction has stored it, so that other processes see it. */
  isStored = false
  readonly #deps: Pick<RunnerDeps, 'owner' | 'wall'>

  constructor(deps: Pick<RunnerDeps, 'owner' | 'wall'>, row: NewRunRow) {
    this.#deps = deps
    this.row = { ...row, number: 0 }
  }

  /** Inserts the run with its job, in the caller's transaction, which may run again. */
  async store(query: AccountQuery): Promise<void> {
    await this.insert(query)
    await insertRunJob(query, this.#deps, this.row)
  }

  /** Inserts the run without a job. @throws Error if its id was taken, which does not happen by chance */
  async insert(
    query: AccountQuery,
    insert: InsertRun = async (row) => (await insertRun(query, row))?.number,
  ): Promise<void> {
    const { number: _, ...row } = this.row
    const number = await insert(row)
    if (number === undefined) throw new Error(`The id ${row.id} of a run is taken.`)
    this.row.number = number
    await schedulePurge(query, number, this.row.created_at)
  }
}
