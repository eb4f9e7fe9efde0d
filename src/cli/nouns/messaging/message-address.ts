import { messagingFailures } from '../../../contract/errors/messaging-failures.ts'
import { parsePhoneNumber } from '../../../contract/values/phone-number.ts'
import type { CommandInput, Invocation } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { normalizePhoneNumber } from '../../program/input/phone-number.ts'
import { resolveId } from '../../program/input/resolve-target.ts'
import { recordFlag } from '../../program/prompts/equivalent-command.ts'
import { senderTarget } from './view.ts'

/** Returns the value of a flag, or of the matching field from a file. */
const flagOrField = (flag: unknown, field: unknown): string | undefined =>
  (flag ?? field) === undefined ? undefined : String(flag ?? field)

/** Who sends a message, and to whom: the id of a sender, and a phone number. */
export interface MessageAddress {
  readonly sender_id: number
  readonly recipient_phone: string
}

/** Validates a recipient with the rule of the platform. */
async function checkRecipient(text: string): Promise<true | string> {
  return (await parsePhoneNumber(text.trim())) !== undefined || messagingFailures['messaging.invalid_phone'].hint
}

/**
 * Returns sender and recipient, or prompts for them. @throws ClientFailure `usage` with the missing flags, including
 * those in `also`, without a terminal
 */
export async function resolveAddress(
  context: Context,
  { flags, input }: { flags: Invocation['flags']; input: CommandInput },
  also: readonly string[] = [],
  instead = '',
): Promise<MessageAddress> {
  const sender = flagOrField(flags.sender, input.sender_id)
  const to = flagOrField(flags.to, input.recipient_phone)
  const missing = [...(sender === undefined ? ['--sender'] : []), ...also, ...(to === undefined ? ['--to'] : [])]
  if (missing.length > 0 && !context.interactive)
    throw usageError(`Missing ${missing.join(', ')}.`, `${instead}See: parley ${context.commandName} --help.`)
  const sender_id = await resolveId(context, sender, senderTarget, '--sender')
  return { sender_id, recipient_phone: await normalizeNumber(to ?? (await promptRecipient(context))) }
}

/** Returns a phone number in E.164, so that a recipient is always the same text. The platform rejects other text. */
async function normalizeNumber(given: string): Promise<string> {
  return (await normalizePhoneNumber(given)) ?? given
}

async function promptRecipient(context: Context): Promise<string> {
  const prompts = await context.prompts()
  const to = (await prompts.input('Recipient number (E.164):', { validate: checkRecipient })).trim()
  recordFlag(context, '--to', to)
  return to
}
