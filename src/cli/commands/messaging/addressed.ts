import type { Input, Invocation } from '../../command.ts'
import type { Context } from '../../context.ts'
import { resolveId } from '../../target.ts'
import { usage } from '../../usage.ts'
import { senderTarget } from './view.ts'

/** What a flag gives, or the field of the same meaning from a file. */
const given = (flag: unknown, field: unknown): string | undefined => ((flag ?? field) === undefined ? undefined : String(flag ?? field))

export interface Addressed {
  readonly sender_id: number
  readonly recipient_phone: string
}

/** Sender and recipient, asked for on a terminal; elsewhere exit 2 names every flag that is missing. */
export async function addressed(
  context: Context,
  { flags, input }: { flags: Invocation['flags']; input: Input },
  also: readonly string[] = [],
): Promise<Addressed> {
  const sender = given(flags.sender, input.sender_id)
  const to = given(flags.to, input.recipient_phone)
  const missing = [...(sender === undefined ? ['--sender'] : []), ...also, ...(to === undefined ? ['--to'] : [])]
  if (missing.length > 0 && !context.interactive) throw usage(`Missing: ${missing.join(', ')}.`, `See: parley ${context.words} --help.`)
  const sender_id = await resolveId(context, sender, senderTarget)
  return { sender_id, recipient_phone: to ?? (await (await context.prompts()).input('Number of the recipient, E.164:')) }
}
