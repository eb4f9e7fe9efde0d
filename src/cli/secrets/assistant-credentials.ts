import type { Call } from '../../client/create-client.ts'
import { isSecretName } from '../../client/requests/redact.ts'
import { maskText as mask } from '../../contract/values/mask.ts'
import { stringifyJson } from '../../node/json.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'

type Tool = Readonly<Record<string, unknown>>

export const unmaskFlag = { flags: '--unmask', describe: 'Show calendar credentials' } as const

const isSecret = ([name, value]: [string, unknown]): boolean =>
  isSecretName(name) && typeof value === 'string' && value !== ''

function maskTool(tool: Tool): Tool {
  const { data } = tool as { data?: Tool }
  const shown = Object.fromEntries(Object.entries(tool).map((it) => (isSecret(it) ? [it[0], mask] : it)))
  return typeof data === 'object' && data !== null ? { ...shown, data: maskTool(data) } : shown
}

/** Returns an assistant with the credentials of its built-in tools masked. */
export const maskAssistant = <T extends object>(it: T): T => {
  const { tools } = it as { tools?: unknown }
  return Array.isArray(tools) ? { ...it, tools: tools.map(maskTool) } : it
}

/** Returns a context whose lists of assistants have masked credentials. */
export function maskingAssistants(context: Context): Context {
  const withoutCredentials = <T>(page: T): T => ({
    ...page,
    data: (page as unknown as { readonly data: readonly object[] }).data.map(maskAssistant),
  })
  const call = async (...args: Parameters<Call>) => withoutCredentials(await context.call(...args))
  const raw = async (...args: Parameters<Call['raw']>) => {
    const answer = await context.call.raw(...args)
    return { ...answer, output: withoutCredentials(answer.output) }
  }
  return Object.create(context, { call: { value: Object.assign(call, { raw }) } })
}

/** Returns whether a tool of an assistant has a masked credential. */
export const hasMask = ({ tools }: { readonly tools?: unknown }): boolean =>
  Array.isArray(tools) && tools.some((it: Tool) => Object.values(it).includes(mask))

const kindOf = (it: Tool): string => stringifyJson([it.type, it.calendar_type])
const eventOf = (it: Tool): string => stringifyJson([it.cal_a_event_slug, it.cal_b_event_type_uri])

/**
 * Replaces masks by the stored credentials of an assistant. @throws ClientFailure `usage` if the matching credential is
 * ambiguous
 */
export function restoreToolCredentials(tools: readonly Tool[], before: readonly Tool[]): Tool[] {
  return tools.map((tool, n) => {
    if (!Object.values(tool).includes(mask)) return tool
    const alike = before.filter((it) => kindOf(it) === kindOf(tool))
    const same = alike.filter((it) => eventOf(it) === eventOf(tool))
    const [known, ...others] = same.length > 0 ? same : alike
    if (!known || others.some((it) => stringifyJson(it) !== stringifyJson(known)))
      throw usageError(
        `tools.${n} has a masked credential that matches no single stored credential.`,
        'Enter the credential.',
      )
    return Object.fromEntries(Object.entries(tool).map(([name, value]) => [name, value === mask ? known[name] : value]))
  })
}
