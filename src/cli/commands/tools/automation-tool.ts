import { automate } from '../../../contract/resources/automate.ts'
import type { CommandInput } from '../../commandline/command.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { automationId } from '../automate/view.ts'

/** What a definition reads of what its webhook gets: `trigger['body']['phone']`, `trigger.body.phone`. */
const readPattern =
  /trigger(?:\.output)?(?:\.body|\[\\?['"]body\\?['"]\])(?:\.([A-Za-z_]\w{0,63})|\[\\?['"]([A-Za-z_]\w{0,63})\\?['"]\])/g

/** The fields of a tool that asks an automation while somebody is on the phone: its synchronous address, and a parameter for everything it reads. */
export async function toolFromAutomation(context: Context, given: string): Promise<CommandInput> {
  const id = await automationId(context, given)
  const { data } = await context.call(automate.get, { id })
  const text = JSON.stringify(data.definition ?? {})
  const { pieceName, triggerName } = (data.definition?.settings ?? {}) as Record<string, unknown>
  if (triggerName !== 'catch_webhook' && triggerName !== 'catch_request')
    throw usageError(
      `"${data.name}" is started by ${String(triggerName ?? pieceName ?? 'something else')}, not by a webhook: a tool could not ask it.`,
    )
  if (!/"return_response"/.test(text))
    throw usageError(`"${data.name}" never answers: a tool would wait in vain.`, 'Give it a respond step.')
  const names = [...new Set([...text.matchAll(readPattern)].map((it) => it[1] ?? it[2] ?? ''))]
  return {
    name: nameOf(String(data.name)),
    description: String(data.name).slice(0, 255),
    endpoint: `${await requirePlatformUrl(context)}/automate/api/v1/webhooks/${id}/sync`,
    method: 'POST',
    schema: names.map((name) => ({
      name,
      type: 'string',
      description: `${name}, as the automation reads it`,
      required: false,
    })),
  }
}

const nameOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^(\d)/, '_$1')
    .replace(/_+$/, '')
    .slice(0, 64) || 'automation'

async function requirePlatformUrl(context: Context): Promise<string> {
  const { base } = await context.connection()
  if (/^https?:/.test(base)) return base.replace(/\/+$/, '')
  throw usageError(
    'The automation has no address that a tool could ask: no server of this platform is running.',
    'Start one: parley server start. Then try again.',
  )
}
