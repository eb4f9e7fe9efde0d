import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { automate } from '../../../contract/resources/automate.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import type { CommandInput } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import { confirmDisable } from '../../program/dependencies/dependents.ts'
import { idView } from '../../program/output/format.ts'
import { toSentence } from '../../program/output/print-result.ts'
import { sendUpdate } from '../../program/updates/send-update.ts'

/** Renames, enables or disables an automation and prints it as the platform shows it. */
export async function changeAutomation(
  context: Context,
  id: string,
  input: CommandInput,
  previous?: ResourceRecord,
): Promise<void> {
  const answer = await sendUpdate(context, { endpoint: automate.update, ids: { id }, change: input, previous })
  if (!answer) return
  const { out } = context
  const { message, data }: { message?: string; data?: PrintedAutomation } = answer as object
  const what = data?.updated === false ? 'No changes.' : toSentence(message)
  const sentence = `${what}${typeof data?.status === 'string' ? ` It is ${data.status}.` : ''} Id: ${id}`
  await out.result(data ?? answer, sentence, { view: idView(() => id) })
}

/**
 * Returns a sentence if the newest test of an automation failed; undefined if it passed or is not known. A platform
 * without details does not say which runs were tests: there, the newest run counts.
 */
export async function describeFailedTest({ call }: Context, id: string): Promise<string | undefined> {
  const answer = await call(automate.runs, { id, limit: 20 }).catch((error: unknown) => {
    // A platform without this list: the write shows whether the automation exists.
    if (error instanceof ClientFailure && [404, 405, 501].includes(error.status ?? 0)) return {}
    throw error
  })
  const runs = 'runs' in answer ? answer.runs : []
  const test = runs.find((it) => it.testing ?? true)
  if (test?.status !== 'FAILED') return undefined
  return `its last ${test.testing === true ? 'test' : 'run'} failed: parley automate runs list ${id}`
}

interface PrintedAutomation {
  readonly status?: unknown
  readonly updated?: unknown
}

/** Disables an automation after a check of what uses it. */
export async function disableAutomation(
  context: Context,
  id: string,
  input: CommandInput,
  confirmed: string | boolean | undefined,
): Promise<void> {
  const { dryRun, printCurl } = context.globals
  if (dryRun || printCurl) return changeAutomation(context, id, input)
  return changeAutomation(context, id, input, await confirmDisable(context, id, confirmed))
}
