import type { ExitName } from '../../contract/errors/exit-codes.ts'
import { automate } from '../../contract/resources/automate.ts'
import { isError } from '../../node/is-error.ts'
import { stringifyJson } from '../../node/json.ts'
import type { CommandInput } from '../commandline/command.ts'
import type { Context } from '../context.ts'
import type { ResourceRecord } from '../updates/previous-record.ts'
import { sendUpdate } from '../updates/send-update.ts'

/**
 * Renames, enables or disables an automation, reads it back and prints it. Exit 20 if the change was not applied, 12 if
 * it could not be read back.
 */
export async function changeAutomation(
  context: Context,
  id: string,
  input: CommandInput,
  previous?: ResourceRecord,
): Promise<ExitName | undefined> {
  const answer = await sendUpdate(context, { endpoint: automate.update, ids: { id }, change: input, previous })
  if (!answer) return undefined
  const data: PrintedAutomation = 'data' in answer ? answer.data : { ...answer }
  const read = await context.call(automate.get, { id }).catch((error: Error) => error)
  if (isError(read)) {
    if (context.system.signal.aborted) throw read
    await context.notes.warn(
      `The platform accepted the change, but the live automation could not be read: ${read.message}`,
    )
    await printChange(context, id, data)
    return 'unknown'
  }
  const { name, status } = read.data
  const wanted = {
    name: input.name ?? name,
    status: input.enabled === undefined ? status : input.enabled ? 'enabled' : 'disabled',
  }
  const different = [
    ...(name === wanted.name ? [] : [`its name is ${stringifyJson(name)}`]),
    ...(status === wanted.status ? [] : [`it is ${status}`]),
  ]
  if (different.length > 0)
    await context.notes.warn(`The platform accepted the change, but ${different.join(' and ')}.`)
  await printChange(context, id, { ...data, name, status })
  return different.length > 0 ? 'finding' : undefined
}

interface PrintedAutomation {
  readonly name?: unknown
  readonly status?: unknown
  readonly updated?: unknown
}

async function printChange({ out }: Context, id: string, data: PrintedAutomation): Promise<void> {
  if (out.settings.form !== 'table' || out.settings.fields)
    return out.record(data, { view: { id: () => id, columns: [], empty: '' } })
  const what = data.updated === false ? 'No changes.' : 'Automation updated.'
  await out.line(`${what}${typeof data.status === 'string' ? ` It is ${data.status}.` : ''} Id: ${id}`)
}

/** Disables an automation after a check of what uses it. */
export async function disableAutomation(
  context: Context,
  id: string,
  input: CommandInput,
  confirmed: string | boolean | undefined,
): Promise<ExitName | undefined> {
  const { dryRun, printCurl } = context.globals
  if (dryRun || printCurl) return changeAutomation(context, id, input)
  const { confirmDisable } = await import('../dependencies/dependents.ts')
  return changeAutomation(context, id, input, await confirmDisable(context, id, confirmed))
}
