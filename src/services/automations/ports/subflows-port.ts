import { callerOf, callKey, callResult } from '../../../automation/run/called-runs.ts'
import type { SubflowsPort } from '../../../flow/pieces/ports.ts'
import { StepFailure } from '../../../flow/pieces/step-failure.ts'
import { stringifyJson } from '../../../node/json.ts'
import { findVersion } from '../../../store/automations/automation-versions.ts'
import { type AutomationRow, findAutomation, listAutomations } from '../../../store/automations/automations.ts'
import { findRun, findRunByDedupe } from '../../../store/automations/runs.ts'
import type { Query } from '../../../store/database/connection.ts'
import type { Deps } from '../../runtime/deps.ts'

/** Maximum depth of nested calls, so that automations that call each other in a circle end. */
const maxDepth = 10

/** Milliseconds a test waits for an automation that it called. */
const testWaitMs = 60_000

/** Starts the runs of automations that steps call. */
export const subflowsPort = (deps: Pick<Deps, 'connection' | 'clock' | 'runner'>): SubflowsPort => ({
  async start({ account, key }, { automation: named, data, caller, testing }, waits) {
    const { connection, clock } = deps
    const runner = await deps.runner()
    const dedupe = callKey(key)
    const { run, accepted } = await connection.write({ account }, async (query) => {
      const automation = await findCalled(query, account, named)
      // After a crash, the step is repeated and its run may have started, whatever the automation is now.
      const started = await findRunByDedupe(query, automation.id, dedupe)
      if (started) return { run: started.id, accepted: undefined }
      const version = automation.live_version === null ? undefined : await findVersion(query, automation.live_version)
      const title = stringifyJson(automation.name)
      if (version?.trigger_kind !== 'call')
        throw new StepFailure(`The automation ${title} cannot be called: its trigger is not callableFlow.`)
      if (automation.status === 'disabled') throw new StepFailure(`The automation ${title} is disabled.`)
      await assertRunning(query, caller)
      await assertDepth(query, caller)
      const payload = { data, parentRunId: caller }
      const now = await clock.now(query)
      const found = await runner.accept(query, { automation, version, payload, testing, dedupe }, now)
      if (!found) throw new StepFailure(`The automation ${title} could not be started.`)
      return { run: found.row.id, accepted: found }
    })
    if (accepted) void runner.start(accepted)
    if (!testing || !waits) return { run }
    await runner.waitForRun(run, testWaitMs)
    const ended = await findRun(connection.read, run)
    return { run, result: ended && callResult(ended) }
  },
})

/** Returns the automation with this id or name. @throws StepFailure if none or several have it */
async function findCalled(query: Query, account: number, named: string): Promise<AutomationRow> {
  const byId = await findAutomation(query, account, named)
  if (byId) return byId
  const [found, ...others] = (await listAutomations(query, account)).filter((it) => it.name === named)
  if (!found)
    throw new StepFailure(`There is no automation with the name or id ${stringifyJson(named)}.`, {
      classification: 'missing_record',
    })
  if (others.length > 0)
    throw new StepFailure(
      `${others.length + 1} automations have the name ${stringifyJson(named)}. Use an id: ${[found, ...others].map((it) => it.id).join(', ')}.`,
    )
  return found
}

/** Rejects a call of a run that was cancelled, so that no run is left that it would wait for. @throws StepFailure */
async function assertRunning(query: Query, caller: string): Promise<void> {
  const run = await findRun(query, caller)
  if (run && run.cancelled_at !== null && run.finished_at !== null)
    throw new StepFailure('The calling run was cancelled.')
}

/** Limits the depth of nested calls. @throws StepFailure */
async function assertDepth(query: Query, caller: string): Promise<void> {
  let depth = 1
  for (let id: string | undefined = caller; id !== undefined; depth++) {
    if (depth > maxDepth)
      throw new StepFailure(
        `Calls can be nested at most ${maxDepth} deep. Do the automations call each other in a circle?`,
      )
    const run = await findRun(query, id)
    id = run && callerOf(run)
  }
}
