import type { Call } from '../../../client/create-client.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { maskText } from '../../../contract/values/mask-text.ts'
import { redactedText } from '../../../contract/values/redact.ts'
import type { Context } from '../context.ts'
import { redactSecrets } from './masked-values.ts'

export const unmaskFlag = {
  flags: '--unmask',
  describe: 'Show credentials in headers, static fields and the URL',
} as const

const renamedHeaders = 'fields of the header'

/** Returns a tool with masked credentials, for output; sent back, a mask means "unchanged". */
export function maskToolCredentials<T>(tool: T): T {
  const walk = (value: unknown, redacted: unknown): unknown => {
    if (Array.isArray(value)) return value.map((one, n) => walk(one, (redacted as readonly unknown[])[n]))
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, walk(one, (redacted as ResourceRecord)[name])]),
      )
    // Replaces only what was masked by this call, because a text may mention masked values itself.
    return value === redacted ? value : String(redacted).replaceAll(redactedText, maskText)
  }
  // Under the name `headers`, all but a few would be masked. Here only headers with a secret name or form are masked.
  const named = Object.entries(tool as object).map(([name, child]) => [
    name === 'headers' ? renamedHeaders : name,
    child,
  ])
  const other = Object.fromEntries(named) as object
  return Object.fromEntries(
    Object.entries(walk(other, redactSecrets(other)) as object).map(([name, child]) => [
      name === renamedHeaders ? 'headers' : name,
      child,
    ]),
  ) as T
}

/** Returns a context whose lists of tools have masked credentials. */
export function maskingTools(context: Context): Context {
  // Changes the list in place, because the list knows the way to its next page by identity.
  const masked = <L>(list: L): L => {
    if (Array.isArray(list)) for (const [n, tool] of list.entries()) list[n] = maskToolCredentials(tool)
    return list
  }
  const call = async (...args: Parameters<Call>) => masked(await context.call(...args))
  const raw = async (...args: Parameters<Call['raw']>) => {
    const reply = await context.call.raw(...args)
    return { ...reply, output: masked(reply.output) }
  }
  return Object.create(context, { call: { value: Object.assign(call, { raw }) } })
}
