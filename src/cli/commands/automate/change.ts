import { automate } from '../../../contract/automate.ts'
import type { Input } from '../../command.ts'
import type { Context } from '../../context.ts'
import { sendUpdate } from '../../updating.ts'

/** Renames an automation, switches it on or off; prints what it is now. */
export async function change(context: Context, id: string, input: Input): Promise<void> {
  const answer = await sendUpdate(context, { endpoint: automate.update, ids: { id }, change: input, before: undefined })
  if (!answer) return
  const { out } = context
  const data = 'data' in answer ? answer.data : undefined
  if (out.settings.form !== 'table' || out.settings.fields) return out.record(data ?? answer, { view: { id: () => id, columns: [], empty: '' } })
  const what = data?.updated === false ? 'Nothing changed: it was so already.' : 'Automation updated.'
  await out.line(`${what}${typeof data?.status === 'string' ? ` It is ${data.status}.` : ''} Id: ${id}`)
}

/** The same for a change that switches it off, once whoever relies on it was looked at. */
export async function switchOff(context: Context, id: string, input: Input, confirmed: string | boolean | undefined): Promise<void> {
  const { dryRun, printCurl } = context.globals
  if (!dryRun && !printCurl) {
    const { agreeToSwitchOff } = await import('../../references/relying.ts')
    await agreeToSwitchOff(context, id, confirmed)
  }
  return change(context, id, input)
}
