import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import type { CancelledRun, RunSummary } from '../../../../contract/automations/run-records.ts'
import { walkSteps } from '../../../../contract/automations/walk-steps.ts'
import { Failure } from '../../../../contract/errors/failures.ts'
import { listSideEffects } from '../../../../engine/analysis/external-actions.ts'
import { pathName } from '../../../../engine/runs/run-keys.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { requireValue } from '../../../../node/require-value.ts'
import { cancelClaims } from '../../../runs/claim-run.ts'
import { leaseMs } from '../../../runs/run-limits.ts'
import { findVersion } from '../../../store/automations/automation-versions.ts'
import { type AutomationRow, findAutomation } from '../../../store/automations/automations.ts'
import { copySteps, listSteps, resetStep, type StepRow } from '../../../store/automations/run-steps.ts'
import { deleteWait } from '../../../store/automations/run-waits.ts'
import {
  findNamedRun,
  findRun,
  insertRun,
  listRuns,
  type RunRow,
  runJobKind,
  updateRun,
} from '../../../store/automations/runs.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import type { AccountQuery } from '../../../store/database/connection.ts'
import { schedulePurge } from '../../../store/runtime/purge-batches.ts'
import { insertJob } from '../../../store/runtime/scheduled-jobs.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { RestrictedKey } from '../../runtime/key-access.ts'
import { newRunId } from '../publishing/automation-ids.ts'
import { applyEngineFault } from '../publishing/engine-faults.ts'
import { readDefinition } from '../publishing/sealed-definitions.ts'
import { toSummary } from './run-records.ts'

/**
 * Returns the id of the live version, on which a run continues after its completed steps. A completed step that the
 * version does not have in the same place could run again under another name, so the version is refused.
 * @throws Failure 422 `automate.version_incompatible`
 */
async function latestVersionFor(
  query: AccountQuery,
  { vault }: Pick<Deps, 'vault'>,
  { live_version: live }: AutomationRow,
  run: RunRow,
  completed: readonly StepRow[],
): Promise<string> {
  if (live === null || live === run.version_id) return run.version_id
  const [before, latest] = await Promise.all([run.version_id, live].map((id) => findVersion(query, id)))
  if (!latest) return run.version_id
  const types = before && stepTypes(readDefinition(vault, before))
  const known = stepTypes(readDefinition(vault, latest))
  for (const { path, name } of completed) {
    const place = path.replaceAll(/\[\d+\]/g, '')
    const isSame = known.has(place) && (!types || types.get(place) === known.get(place))
    if (!isSame)
      throw new Failure('automate.version_incompatible', {
        text: `The latest version cannot continue this run: it has no step "${name}", which already ran.`,
      })
  }
  return live
}

/** Returns the type of each step by its name after those of the loops around it: `step_5/step_6`. */
function stepTypes(trigger: AutomationNode): ReadonlyMap<string, unknown> {
  const types = new Map<string, unknown>()
  /** Names of the loops around each step. */
  const prefixes = new Map<AutomationNode, string>()
  for (const { node, inside } of walkSteps(trigger)) {
    const outer = (inside && prefixes.get(inside.node)) ?? ''
    const prefix = inside?.field === 'firstLoopAction' ? `${outer}${pathName(inside.node.name)}/` : outer
    prefixes.set(node, prefix)
    if (node !== trigger) types.set(`${prefix}${pathName(node.name)}`, node.type)
  }
  return types
}

/** Milliseconds a rerun waits for the new run to end before it responds with the run in progress. */
const rerunWaitMs = 10_000

/** How a run is repeated. */
interface RerunOptions {
  /** The key that starts it, if it is restricted. */
  readonly key?: RestrictedKey | undefined
  /** Output of the trigger (default: that of the run). */
  readonly payload?: unknown
  /** Name of the first step (default: the first of the definition). Outputs of the steps before it are reused. */
  readonly from?: string | undefined
  /** Runs the live version instead of the version of the run. */
  readonly onLatest: boolean
  /** Whether steps may have effects outside. */
  readonly confirm_side_effects?: boolean | undefined
}

/**
 * Starts a new run like an earlier one. Its steps have effects again, except those before `from`. Returns the new run.
 * @throws Failure 404, 422
 */
export async function rerun(deps: Deps, account: number, id: string, options: RerunOptions): Promise<RunSummary> {
  const { connection } = deps
  const runner = await deps.runner()
  const created = await connection.write({ account }, async (query) => {
    const run = await findNamedRun(query, id)
    if (!run) throw new Failure('automate.run_record_not_found')
    const reused = options.from === undefined ? [] : stepsBefore(await listSteps(query, run.number), options.from)
    return createRun(query, deps, run, reused, options)
  })
  await runner.resume([{ id: created, account }])
  await runner.waitForRun(created, rerunWaitMs)
  return toSummary(requireValue(await findNamedRun(accountQuery(connection.read, account), created)))
}

/** Returns the steps that ended before a step outside loops started. @throws Failure 422 if it did not start */
function stepsBefore(steps: readonly StepRow[], from: string): StepRow[] {
  const first = steps.find((it) => it.path === from)
  if (!first || from.includes('/'))
    throw new Failure('automate.step_not_reached', {
      text: `The run has no step "${from}" outside loops. Only a step that the run reached can be the first one.`,
    })
  return steps.filter((it) => it.position < first.position && (it.status === 'SUCCEEDED' || it.status === 'FAILED'))
}

/** Rejects a version that has effects in a step that is not reused. @throws Failure 422 */
async function requireNoSideEffects(
  query: AccountQuery,
  { vault }: Deps,
  id: string,
  reused: readonly StepRow[],
): Promise<void> {
  const version = await findVersion(query, id)
  const names = new Set(reused.map(({ path }) => path))
  const effects = version
    ? listSideEffects(readDefinition(vault, version)).flatMap((it) => (names.has(it.step) ? [] : [it.displayName]))
    : []
  if (effects.length > 0)
    throw new Failure('automate.side_effects_require_confirmation', {
      text: `This run has steps that really send or call: ${effects.join(', ')}. Confirm the side effects to continue.`,
      details: { steps: effects },
    })
}

/** Stores the new run with the steps it reuses, and a job that this process has leased. Returns its id. */
async function createRun(
  query: AccountQuery,
  deps: Deps,
  run: RunRow,
  reused: readonly StepRow[],
  { payload, onLatest, confirm_side_effects, key }: RerunOptions,
): Promise<string> {
  const { account_id, automation_id, testing } = run
  const automation = await findAutomation(accountQuery(query, account_id), automation_id)
  if (!automation) throw new Failure('automate.run_record_not_found')
  const version_id = onLatest ? await latestVersionFor(query, deps, automation, run, reused) : run.version_id
  if (confirm_side_effects !== true) await requireNoSideEffects(query, deps, version_id, reused)
  const now = await deps.clock.now(query)
  const stored = payload === undefined ? run.payload : stringifyJson(payload)
  let row: RunRow | undefined
  // Another account may have taken the id in the meantime; then the run gets another one.
  while (!row) {
    const id = await newRunId(query, deps, account_id, now)
    row = await insertRun(query, {
      ...{ id, account_id, automation_id, version_id, testing, payload: stored, created_at: now },
      ...{ status: 'RUNNING', claims: 1, held: 0, mark: 0, stalls: 0, round: 1, active: 0, key_id: key?.id ?? null },
    })
  }
  await schedulePurge(query, row.number, row.created_at)
  if (reused.length > 0) await copySteps(query, row.number, reused, now)
  const lease = { lease_owner: deps.owner, lease_until: deps.wall() + leaseMs }
  await insertJob(query, { account_id, kind: runJobKind, subject: row.id, due_at: now, attempts: 0, ...lease })
  return row.id
}

/** A run with its steps. */
interface RunDetails {
  readonly run: RunRow
  readonly steps: readonly StepRow[]
}

/** Why a run with a status has no failed step to resume at. */
const notFailed: Readonly<Record<RunRow['status'], string>> = {
  SUCCEEDED: 'it succeeded',
  FAILED: 'none of its steps failed',
  PAUSED: 'it is waiting',
  RUNNING: 'it is running',
}

/** Milliseconds a retry waits for the run to end before it responds with the run in progress. */
const retryWaitMs = 10_000

/** Lists and retries the runs of an automation (facts 2.11). */
export function runService(deps: Deps) {
  const { connection, clock } = deps

  async function requireAutomation(
    account: number,
    id: string,
    kind: 'automate.not_found' | 'automate.missing',
  ): Promise<AutomationRow> {
    const row = await findAutomation(accountQuery(connection.read, account), id)
    if (!row) throw new Failure(kind)
    return row
  }

  async function latestVersion(query: AccountQuery, run: RunRow, steps: readonly StepRow[]): Promise<string> {
    const row = await findAutomation(accountQuery(query, run.account_id), run.automation_id)
    if (!row) throw new Failure('automate.missing')
    // Iterations of a failed loop continue in the loop, so it must exist too.
    const completed = steps.filter((it) => it.status === 'SUCCEEDED' || it.items !== null)
    return latestVersionFor(query, deps, row, run, completed)
  }

  return {
    /** Returns runs, newest first. @throws Failure 404 */
    async list(account: number, automation: string, limit: number): Promise<RunRow[]> {
      await requireAutomation(account, automation, 'automate.not_found')
      return listRuns(accountQuery(connection.read, account), automation, limit)
    },

    /** Returns a run with its steps. @throws Failure 404 */
    async get(account: number, automation: string, id: string): Promise<RunDetails> {
      await requireAutomation(account, automation, 'automate.not_found')
      const read = accountQuery(connection.read, account)
      const run = id.includes('\0') ? undefined : await findRun(read, id)
      if (run?.automation_id !== automation) throw new Failure('automate.run_not_found')
      return { run, steps: await listSteps(read, run.number) }
    },

    /**
     * Resumes a failed run at the failed step, with the outputs of the steps before it: on the version that it started
     * on, or on the live version. @throws Failure 404, 422
     */
    async retry(
      account: number,
      automation: string,
      id: string,
      onLatest = false,
      key?: RestrictedKey,
    ): Promise<RunRow> {
      await requireAutomation(account, automation, 'automate.missing')
      if ((await findRun(accountQuery(connection.read, account), id))?.automation_id !== automation)
        throw new Failure('automate.run_missing')
      await applyEngineFault(deps, 'retry', 'automate.retry_failed', { account, id })
      const runner = await deps.runner()
      await connection.write({ account }, async (query) => {
        const run = await findRun(query, id)
        const steps = run?.status === 'FAILED' ? await listSteps(query, run.number) : []
        const failed = steps.findLast((it) => it.status === 'FAILED')
        if (!run || !failed)
          throw new Failure(
            'automate.retry_no_op',
            run && { text: `This run cannot be resumed: ${notFailed[run.status]}.` },
          )
        const version_id = onLatest ? await latestVersion(query, run, steps) : run.version_id
        const now = await clock.now(query)
        const idle = Math.max(0, now - (run.finished_at ?? now))
        await resetStep(query, run.number, failed.path, idle)
        await deleteWait(query, run.number, failed.path)
        // The new round yields new idempotency keys; under the old keys the earlier refusals would be replayed.
        await updateRun(query, run.number, {
          version_id,
          status: 'RUNNING',
          error: null,
          finished_at: null,
          cancelled_at: null,
          held: 0,
          stalls: 0,
          active: 0,
          idle: run.idle + idle,
          round: run.round + 1,
          key_id: key?.id ?? null,
        })
        const lease = { lease_owner: deps.owner, lease_until: deps.wall() + leaseMs }
        await insertJob(query, {
          account_id: account,
          kind: runJobKind,
          subject: id,
          due_at: now,
          attempts: 0,
          ...lease,
        })
      })
      await runner.resume([{ id, account }])
      await runner.waitForRun(id, retryWaitMs)
      return requireValue(await findRun(accountQuery(connection.read, account), id))
    },
  }
}

/**
 * Cancels a run that is running or waiting, with the runs that it waits for. Returns the run; one that had ended is
 * returned unchanged. A step that is running in another process may still take effect, but its result is not stored and
 * no further step starts.
 * @throws Failure 404
 */
export async function cancelRun(deps: Deps, account: number, id: string): Promise<CancelledRun> {
  const cancelled = await deps.connection.write({ account }, async (query) => {
    const run = await findNamedRun(query, id)
    if (!run) throw new Failure('automate.run_record_not_found')
    // A test that waits has ended as PAUSED: it has no job and never continues.
    return run.finished_at === null ? cancelClaims(query, run, await deps.clock.now(query)) : []
  })
  if (cancelled.length > 0) {
    const runner = await deps.runner()
    for (const run of cancelled) runner.abort(run)
  }
  const run = await findNamedRun(accountQuery(deps.connection.read, account), id)
  if (!run) throw new Failure('automate.run_record_not_found')
  return { ...toSummary(run), also_cancelled: cancelled.slice(1) }
}
