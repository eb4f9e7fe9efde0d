import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import type { BuiltAutomation, RunStep } from '../../../../contract/automations/automation-records.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { findSecrets, hideSecretsIn } from '../../../../engine/definition/secrets.ts'
import { toFlatTexts } from '../../../../engine/pieces/respond.ts'
import { StepFailure } from '../../../../engine/pieces/step-failure.ts'
import { messageOf } from '../../../../node/is-error.ts'
import { parseJson, stringifyJson } from '../../../../node/json.ts'
import { realTime } from '../../../../node/real-time.ts'
import type { Runner } from '../../../runs/runner.ts'
import type { RunAnswer } from '../../../runs/stop-reason.ts'
import type { VersionRow } from '../../../store/automations/automation-versions.ts'
import { listSteps } from '../../../store/automations/run-steps.ts'
import { findRun } from '../../../store/automations/runs.ts'
import type { Deps } from '../../runtime/deps.ts'
import { testReports } from '../runs/step-reports.ts'
import { readDefinition } from './sealed-definitions.ts'

/** The outcome of a test run. */
export interface TestOutcome {
  readonly test: BuiltAutomation['test']
  readonly response: BuiltAutomation['response']
  /** Id of the run; null when no run was started. */
  readonly run: string | null
}

/** The outcome for a definition whose trigger cannot be fired on demand. */
export const notTested: TestOutcome = { test: { run_status: 'not_tested', steps: [] }, response: null, run: null }

/** Maximum duration of a test in milliseconds. A longer run is reported as having no result. */
const testTimeoutMs = 120_000

/**
 * Runs a version once with a payload and returns the outcome. Steps have real effects. A run that waits at a delay
 * counts as passed.
 */
export async function testVersion(
  deps: Pick<Deps, 'connection' | 'clock' | 'runner' | 'vault'>,
  version: VersionRow,
  payload: unknown,
): Promise<TestOutcome> {
  const { connection, clock } = deps
  const runner = await deps.runner()
  const accepted = await connection.write({ account: version.account_id }, async (query) => {
    const automation = { id: version.automation_id, account_id: version.account_id }
    return runner.accept(query, { automation, version, payload, testing: true }, await clock.now(query))
  })
  if (!accepted) return noRun
  await runWithTimeout(runner, accepted)
  const run = await findRun(connection.read, accepted.row.id)
  if (!run || run.status === 'RUNNING') return { ...noRun, run: accepted.row.id }
  const answer = run.answer === null ? undefined : (parseJson(run.answer) as RunAnswer)
  const steps = testReports(await listSteps(connection.read, run.number))
  const result = {
    test: { run_status: run.status, steps },
    response: hideResponseSecrets(responseBody(answer), readDefinition(deps.vault, version)),
    run: run.id,
  }
  return version.event === 'inbound' && run.status !== 'FAILED' ? checkVariables(result, answer) : result
}

const noRun: TestOutcome = { test: { run_status: 'no_run', steps: [] }, response: null, run: null }

async function runWithTimeout(runner: Runner, accepted: Parameters<Runner['start']>[0]): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = realTime.setTimeout(resolve, testTimeoutMs)
  })
  await Promise.race([runner.start(accepted), timeout])
  realTime.clearTimeout(timer)
}

/** Fails the test of an inbound-call automation whose response does not contain valid variables for the assistant. */
function checkVariables({ test, response, run }: TestOutcome, answer: RunAnswer | undefined): TestOutcome {
  try {
    if (!answer) throw new StepFailure('An inbound call needs a response, but no respond step was reached.')
    toFlatTexts(answer.body)
    return { test, response, run }
  } catch (error) {
    const [last, ...before] = test.steps.toReversed()
    const failed: RunStep[] = last
      ? [{ ...last, status: 'FAILED', classification: 'wiring_error', error: messageOf(error) }]
      : []
    return { test: { run_status: 'FAILED', steps: [...before.toReversed(), ...failed] }, response, run }
  }
}

/**
 * Returns the response without the secrets of the definition. Callers of the webhook receive them, but a test need not
 * show them.
 */
function hideResponseSecrets(
  response: BuiltAutomation['response'],
  trigger: AutomationNode,
): BuiltAutomation['response'] {
  return hideSecretsIn(response, findSecrets(trigger))
}

function responseBody(answer: RunAnswer | undefined): BuiltAutomation['response'] {
  const body = answer?.body ?? null
  if (body === null || typeof body === 'string') return body
  return isObject(body) ? body : stringifyJson(body)
}
