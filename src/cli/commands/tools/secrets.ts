import type { Call } from '../../../client/call.ts'
import { maskRefusal } from '../../../client/masked-body.ts'
import { hidden } from '../../../client/redact.ts'
import { masksIn, maskText } from '../../../contract/mask.ts'
import { tools } from '../../../contract/tools.ts'
import type { Known } from '../../before.ts'
import type { Input } from '../../command.ts'
import type { Context } from '../../context.ts'
import { isObject, withoutSecrets } from '../../hidden.ts'
import { refill } from '../../secrets/refill.ts'

export const unmaskFlag = { flags: '--unmask', describe: 'Show credentials in headers, fixed fields and the address' } as const

const aside = 'fields of the header'

/** A tool without its credentials, as it is shown; sent back, a mask means "unchanged". */
export function maskedTool<T>(tool: T): T {
  const walk = (it: unknown, redacted: unknown): unknown => {
    if (Array.isArray(it)) return it.map((one, n) => walk(one, (redacted as readonly unknown[])[n]))
    if (isObject(it)) return Object.fromEntries(Object.entries(it).map(([name, one]) => [name, walk(one, (redacted as Known)[name])]))
    // Only what was hidden just now: a text may speak of what is hidden.
    return it === redacted ? it : String(redacted).replaceAll(hidden, maskText)
  }
  // Under its own name every header but a few would be hidden; those that say by name or form that they are secret are enough here.
  const named = Object.entries(tool as object).map(([name, it]) => [name === 'headers' ? aside : name, it])
  const other = Object.fromEntries(named) as object
  return Object.fromEntries(Object.entries(walk(other, withoutSecrets(other)) as object).map(([name, it]) => [name === aside ? 'headers' : name, it])) as T
}

/** The same context, whose lists of tools come without credentials. */
export function masking(context: Context): Context {
  // In its place: what leads from one page to the next is known by the list itself.
  const masked = <L>(list: L): L => {
    if (Array.isArray(list)) for (const [n, it] of list.entries()) list[n] = maskedTool(it)
    return list
  }
  const call = async (...asked: Parameters<Call>) => masked(await context.call(...asked))
  const raw = async (...asked: Parameters<Call['raw']>) => {
    const reply = await context.call.raw(...asked)
    return { ...reply, output: masked(reply.output) }
  }
  return Object.create(context, { call: { value: Object.assign(call, { raw }) } })
}

/** A change with the credentials that are live in place of masks. @throws ClientFailure `usage` naming what has no credential to use */
export async function withCredentials(context: Context, id: number, change: Input): Promise<Input> {
  if (masksIn(change).length === 0) return change
  const live = await context.call(tools.get, { id })
  const lost: string[] = []
  const filled = refill(change, live, maskedTool(live), '', lost) as Input
  if (lost.length > 0)
    throw maskRefusal(
      lost,
      ` Tool ${id} has no credential there to use.`,
      `Write the credential there. To see what is stored: parley tools get ${id} --unmask.`,
    )
  return filled
}
