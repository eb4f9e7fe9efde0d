import { webhookPath } from '../../../contract/automations/webhook-path.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { CommandInput } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import { targetOfKind } from '../../program/dependencies/resource-targets.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { resolveTextId } from '../../program/input/resolve-target.ts'

/** Matches fields of the webhook body that a definition reads: `trigger['body']['phone']`, `trigger.body.phone`. */
const readPattern =
  /trigger(?:\.output)?(?:\.body|\[\\?['"]body\\?['"]\])(?:\.([A-Za-z_]\w{0,63})|\[\\?['"]([A-Za-z_]\w{0,63})\\?['"]\])/g

/**
 * Returns the fields of a tool that calls an automation: its synchronous URL, and a parameter for every field that it
 * reads.
 */
export async function toolFromAutomation(context: Context, given: string): Promise<CommandInput> {
  const id = await resolveTextId(context, given, await targetOfKind('automate'))
  const { data } = await context.call(automate.get, { id })
  const text = stringifyJson(data.definition ?? {})
  const { pieceName, triggerName } = (data.definition?.settings ?? {}) as Record<string, unknown>
  if (triggerName !== 'catch_webhook' && triggerName !== 'catch_request')
    throw usageError(
      `Automation "${data.name}" cannot be used as a tool: its trigger is ${String(triggerName ?? pieceName ?? 'unknown')}, not a webhook.`,
    )
  if (!/"return_response"/.test(text))
    throw usageError(`Automation "${data.name}" cannot be used as a tool: it sends no response.`, 'Add a respond step.')
  const names = [...new Set([...text.matchAll(readPattern)].map((it) => it[1] ?? it[2] ?? ''))]
  return {
    name: nameOf(String(data.name)),
    description: String(data.name).slice(0, 255),
    // files.ts recognizes a tool that calls an automation by this address.
    endpoint: `${await requirePlatformUrl(context)}${webhookPath(id)}/sync`,
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
    'The automation has no URL: the local platform is not running as a server.',
    'Run parley server start, then try again.',
  )
}
