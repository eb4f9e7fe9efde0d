import type { RunSummary } from '../../../../contract/automations/run-records.ts'
import { Failure } from '../../../../contract/errors/failures.ts'
import { listSideEffects } from '../../../../engine/analysis/external-actions.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { requireValue } from '../../../../node/require-value.ts'
import { leaseMs } from '../../../runs/run-limits.ts'
import { findVersion } from '../../../store/automations/automation-versions.ts'
import { findAutomation } from '../../../store/automations/automations.ts'
import { purgeOldRuns } from '../../../store/automations/run-retention.ts'
import { copySteps, listSteps, type StepRow } from '../../../store/automations/run-steps.ts'
import { findNamedRun, insertRun, type RunRow, runJobKind } from '../../../store/automations/runs.ts'
import type { Query } from '../../../store/database/connection.ts'
import { insertJob } from '../../../store/runtime/scheduled-jobs.ts'
import type { Deps } from '../../runtime/deps.ts'
import { newRunId } from '../publishing/automation-ids.ts'
import { readDefinition } from '../publishing/sealed-definitions.ts'
import { latestVersionFor } from './latest-version.ts'
import { toSummary } from './run-records.ts'

/** Milliseconds a rerun waits for the new run to end before it responds with the run in progress. */
const rerunWaitMs = 10_000

/** How a run is repeated. */
export interface RerunOptions {
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
    const run = await findNamedRun(query, account, id)
    if (!run) throw new Failure('automate.run_record_not_found')
    const reused = options.from === undefined ? [] : stepsBefore(await listSteps(query, run.number), options.from)
    return createRun(query, deps, run, reused, options)
  })
  await runner.resume([{ id: created, account }])
  await runner.waitForRun(created, rerunWaitMs)
  return toSummary(requireValue(await findNamedRun(connection.read, account, created)))
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
async function rejectSideEffects(query: Query, { vault }: Deps, id: string, reused: readonly StepRow[]): Promise<void> {
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
  query: Query,
  deps: Deps,
  run: RunRow,
  reused: readonly StepRow[],
  { payload, onLatest, confirm_side_effects }: RerunOptions,
): Promise<string> {
  const { account_id, automation_id, testing } = run
  const automation = await findAutomation(query, account_id, automation_id)
  if (!automation) throw new Failure('automate.run_record_not_found')
  const version_id = onLatest ? await latestVersionFor(query, deps, automation, run, reused) : run.version_id
  if (confirm_side_effects !== true) await rejectSideEffects(query, deps, version_id, reused)
  const now = await deps.clock.now(query)
  const stored = payload === undefined ? run.payload : stringifyJson(payload)
  let row: RunRow | undefined
  // Another account may have taken the id in the meantime; then the run gets another one.
  while (!row) {
    const id = await newRunId(query, deps, now)
    row = await insertRun(query, {
      ...{ id, account_id, automation_id, version_id, testing, payload: stored, created_at: now },
      ...{ status: 'RUNNING', claims: 1, held: 0, mark: 0, stalls: 0, round: 1, active: 0 },
    })
  }
  await purgeOldRuns(query, row)
  if (reused.length > 0) await copySteps(query, row.number, reused, now)
  const lease = { lease_owner: deps.owner, lease_until: deps.wall() + leaseMs }
  await insertJob(query, { account_id, kind: runJobKind, subject: row.id, due_at: now, attempts: 0, ...lease })
  return row.id
}
