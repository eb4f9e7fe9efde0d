import { BuiltAutomation } from '../../../contract/automations/automation-records.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import type { Context } from '../../program/context.ts'
import { idView, type View } from '../../program/output/format.ts'
import { describeClass } from './commands/runs/run-lines.ts'

export const builtView: View<BuiltAutomation> = idView((it) => it.automation_id)

const buildOutcomes: Readonly<Record<string, string>> = {
  active: 'tested and live',
  disabled: 'tested and disabled. It does not run until it is enabled',
  active_untested: 'live and not tested: only its own trigger can start it',
  test_failed: 'but its test failed. The automation is disabled',
}

/** Returns a sentence about a test that did not run to its end, because a step waits; undefined if it did. */
export function describeWaitingTest({ test }: Partial<Pick<BuiltAutomation, 'test'>>): string | undefined {
  if (test?.run_status !== 'PAUSED') return undefined
  const waiting = Array.isArray(test.steps) ? test.steps.find((it) => it?.status === 'PAUSED') : undefined
  const step = waiting ? `${waiting.name}, which waits` : 'a step that waits'
  return `Its test ended at ${step}: what follows was not tested.`
}

/** Returns how to test what follows a step that waits. */
export const localTestHint = (id: string): string =>
  `To run it to its end without sending anything: parley automate test ${id}`

/** Prints the result of a sent definition. A failed test results in exit 20 and names the step and the cause. */
export async function printBuilt(
  context: Context,
  built: BuiltAutomation,
  done: 'created' | 'updated',
): Promise<ExitName> {
  const { out, notes } = context
  const { automation_id: id, status } = built
  const { isForPeople } = out
  const waitingTest = status === 'test_failed' ? undefined : describeWaitingTest(built)
  const outcome =
    waitingTest === undefined
      ? `, ${typeof status === 'string' ? (buildOutcomes[status] ?? status) : 'with an unknown test status'}.`
      : ` and ${status === 'active' ? 'live' : status}. ${waitingTest}`
  await out.result(built, `Automation ${done}${outcome}${typeof id === 'string' ? ` Id: ${id}` : ''}`, {
    schema: BuiltAutomation,
    view: builtView,
  })
  if (status === 'test_failed') {
    await notes.warn(describeFailedSteps(built))
    if (isForPeople) {
      await notes.note(`Next: parley automate runs list ${id}`)
      await notes.note(
        `To repair it: parley automate update ${id} --file <file>, with --sample <json> for other trigger input.${done === 'created' ? ' Creating it again makes a second automation.' : ''}`,
      )
    }
    return 'finding'
  }
  if (isForPeople && typeof built.webhook_url === 'string') await noteWebhookUrl(context, built.webhook_url)
  if (isForPeople && typeof id === 'string')
    await notes.note(waitingTest === undefined ? `Next: parley automate get ${id}` : localTestHint(id))
  return 'done'
}

/** Prints the URL of the webhook. Without a server, the local platform has only its path. */
async function noteWebhookUrl({ notes }: Context, url: string): Promise<void> {
  await notes.note(`Webhook URL: ${url}`)
  if (url.startsWith('/')) await notes.note('To receive requests, start a server: parley server start')
}

/** Describes which steps failed and why. */
function describeFailedSteps({ test }: BuiltAutomation): string {
  const steps = Array.isArray(test?.steps) ? test.steps : []
  const failed = steps.filter((it) => it?.status === 'FAILED')
  if (failed.length === 0) return 'The test failed.'
  return failed
    .map(
      ({ name, classification, error }) =>
        `${name} failed${describeClass(classification, (it) => ` (${it})`)}: ${typeof error === 'string' ? error : 'no reason given'}`,
    )
    .join('\n')
}
