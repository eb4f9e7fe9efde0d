import type { Call } from '../../../client/create-client.ts'
import { maskText as mask } from '../../../contract/values/mask-text.ts'
import { isSecretName } from '../../../contract/values/redact.ts'
import type { Context } from '../context.ts'

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
export const maskAssistant = <T extends object>(assistant: T): T => {
  const { tools } = assistant as { tools?: unknown }
  return Array.isArray(tools) ? { ...assistant, tools: tools.map(maskTool) } : assistant
}

/** Returns a context whose lists of assistants have masked credentials. */
export function maskingAssistants(context: Context): Context {
  const withoutCredentials = <T>(page: T): T => ({
    ...page,
    data: (page as { readonly data: readonly object[] }).data.map(maskAssistant),
  })
  const call = async (...args: Parameters<Call>) => withoutCredentials(await context.call(...args))
  const raw = async (...args: Parameters<Call['raw']>) => {
    const answer = await context.call.raw(...args)
    return { ...answer, output: withoutCredentials(answer.output) }
  }
  return Object.create(context, { call: { value: Object.assign(call, { raw }) } })
}
