import type { Runner } from '../../../automation/run/runner.ts'
import type { RunAnswer } from '../../../automation/run/walker.ts'
import type { BuiltAutomation, RunStep } from '../../../contract/automations/automation-records.ts'
import { findSecrets, hideSecretsIn } from '../../../flow/definition/secrets.ts'
import { StepFailure } from '../../../flow/pieces/ports.ts'
import { toFlatTexts } from '../../../flow/pieces/respond.ts'
import type { VersionRow } from '../../../store/automations/automation-versions.ts'
import { listSteps } from '../../../store/automations/run-steps.ts'
import { findRun } from '../../../store/automations/runs.ts'
import type { Deps } from '../../runtime/deps.ts'
import { testReports } from '../runs/step-reports.ts'

export interface TestOutcome {
  readonly test: BuiltAutomation['test']
  readonly response: BuiltAutomation['response']
  /** Id of the run; null when there was none. */
  readonly run: string | null
}

export const notTested: TestOutcome = { test: { run_status: 'not_tested', steps: [] }, response: null, run: null }

/** Milliseconds a test may take; what takes longer is told of as it stands. */
const testTimeoutMs = 120_000

/** Runs a version once for real with a payload, and tells how that went. A run that waits at a delay counts as good. */
export async function testVersion(
  deps: Pick<Deps, 'connection' | 'clock' | 'runner'>,
  version: VersionRow,
  payload: unknown,
): Promise<TestOutcome> {
  const { connection, clock } = deps
  const runner = await deps.runner()
  const accepted = await connection.write(async (query) => {
    const automation = { id: version.automation_id, account_id: version.account_id }
    return runner.accept(query, { automation, version, payload, testing: true }, await clock.now(query))
  })
  if (!accepted) return noRun
  await runWithTimeout(runner, accepted)
  const run = await findRun(connection.read, accepted.row.id)
  if (!run || run.status === 'RUNNING') return { ...noRun, run: accepted.row.id }
  const answer = run.answer === null ? undefined : (JSON.parse(run.answer) as RunAnswer)
  const steps = testReports(await listSteps(connection.read, run.number))
  const result = {
    test: { run_status: run.status, steps },
    response: hideResponseSecrets(responseBody(answer), version),
    run: run.id,
  }
  return version.event === 'inbound' && run.status !== 'FAILED' ? checkVariables(result, answer) : result
}

const noRun: TestOutcome = { test: { run_status: 'no_run', steps: [] }, response: null, run: null }

async function runWithTimeout(runner: Runner, accepted: Parameters<Runner['start']>[0]): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, testTimeoutMs)
  })
  await Promise.race([runner.start(accepted), timeout])
  clearTimeout(timer)
}

/** An inbound call is answered with variables for the assistant, or the automation is of no use to it. */
function checkVariables({ test, response, run }: TestOutcome, answer: RunAnswer | undefined): TestOutcome {
  try {
    if (!answer) throw new StepFailure('An inbound call needs a response, but no respond step was reached.')
    toFlatTexts(answer.body)
    return { test, response, run }
  } catch (error) {
    const [last, ...before] = test.steps.toReversed()
    const failed: RunStep[] = last
      ? [{ ...last, status: 'FAILED', classification: 'wiring_error', error: (error as Error).message }]
      : []
    return { test: { run_status: 'FAILED', steps: [...before.toReversed(), ...failed] }, response, run }
  }
}

/** What was answered, without the secrets of the definition: whoever calls is given them, whoever tests need not see them. */
function hideResponseSecrets(
  response: BuiltAutomation['response'],
  { definition }: VersionRow,
): BuiltAutomation['response'] {
  return hideSecretsIn(response, findSecrets(JSON.parse(definition))) as BuiltAutomation['response']
}

function responseBody(answer: RunAnswer | undefined): BuiltAutomation['response'] {
  const body = answer?.body ?? null
  if (body === null || typeof body === 'string') return body
  return typeof body === 'object' && !Array.isArray(body) ? (body as Record<string, unknown>) : JSON.stringify(body)
}
