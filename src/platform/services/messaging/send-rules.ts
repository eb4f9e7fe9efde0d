import { Failure, type FailureName, failures } from '../../../contract/errors/failures.ts'
import { isAudioAddress } from '../../../contract/resources/messaging.ts'
import { messagePriceOf } from '../../../contract/values/message-prices.ts'
import { day, type Micros } from '../../../contract/values/micros.ts'
import { listPlaceholders, placeholderPattern } from '../../../contract/values/template-value.ts'
import type { MicroUsd } from '../../../engine/ports.ts'
import { parseJson } from '../../../node/json.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { countRecipients } from '../../store/messaging/channel-messages.ts'
import { findTemplate } from '../../store/messaging/message-templates.ts'
import { findSender, findSenderAssistant, type SenderRow } from '../../store/messaging/senders.ts'
import { getSession, toSessionStatus } from './messaging-service.ts'

interface FilledTemplate {
  readonly body: string
  /** Values in the order of their placeholders. */
  readonly values: readonly string[]
}

/**
 * Fills the placeholders of a template from `given`, whose keys are placeholder numbers or names (section 4.12). Each
 * placeholder needs exactly one value that is not empty, and each value a placeholder. @throws Failure
 * `messaging.template_mismatch`
 */
export function fillTemplate(
  text: string,
  names: readonly string[],
  given: Readonly<Record<string, string>>,
): FilledTemplate {
  const numbers = listPlaceholders(text)
  const placeholderName = (n: number): string | undefined => names[numbers.indexOf(n)]
  const givenKeys = (n: number): string[] =>
    [String(n), placeholderName(n) ?? ''].filter((key) => Object.hasOwn(given, key))
  const givenValue = (n: number): string => given[givenKeys(n)[0] ?? ''] ?? ''

  const known = new Set(numbers.flatMap(givenKeys))
  const missing = numbers.filter((n) => givenValue(n) === '')
  const duplicates = numbers.filter((n) => givenKeys(n).length > 1)
  const unknown = Object.keys(given).filter((key) => !known.has(key))
  if (missing.length > 0 || duplicates.length > 0 || unknown.length > 0) {
    const describe = (n: number): string =>
      `{{${n}}}${placeholderName(n) === undefined ? '' : ` (${placeholderName(n)})`}`
    const list = (what: string, items: readonly string[]): string =>
      items.length > 0 ? ` ${what}: ${items.join(', ')}.` : ''
    const all = numbers.length > 0 ? `${numbers.map(describe).join(', ')}.` : 'it has none.'
    const problems = `${list('Missing', missing.map(describe))}${list('Given twice', duplicates.map(describe))}${list('Unknown', unknown)}`
    const message = failures['messaging.template_mismatch'].text.replace('{placeholders}', () => `${all}${problems}`)
    throw new Failure('messaging.template_mismatch', { text: message })
  }
  return {
    body: text.replace(placeholderPattern, (_, n: string) => givenValue(Number(n))),
    values: numbers.map(givenValue),
  }
}

/** A message that passed all checks. */
export interface SendableMessage {
  readonly sender: SenderRow
  readonly assistant: number
  readonly recipient: string
  readonly templateId: number | null
  readonly body: string
  readonly placeholders: readonly string[] | null
  readonly media: { readonly url: string; readonly filename: string | null } | null
  readonly cost: MicroUsd
  /** When the window closes in which it may be sent. */
  readonly until?: Micros | undefined
}

/** The sender and recipient of a message. `phone` is in E.164, or undefined if the given number is invalid. */
interface MessageAddress {
  readonly senderId: number
  readonly phone: string | undefined
}

/** Recipients in 24 hours that a sender must be allowed for templates that ask for a call. */
const voiceCallLimit = 2000
/**
 * The channel's error code for a sender that has reached its limit of recipients. `messaging send` with a file recognizes
 * it in the error, and stops (cli/features/bulk/messaging/send-rows.ts).
 */
export const limitReachedCode = '63018'

const statusFailure = (kind: FailureName, status: string): Failure =>
  new Failure(kind, { text: failures[kind].text.replace('{status}', () => status) })

async function requireSender(query: AccountQuery, account: number, id: number): Promise<SenderRow> {
  const sender = await findSender(accountQuery(query, account), id)
  if (!sender) throw new Failure('messaging.sender_not_found')
  return sender
}

async function requireAssistant(query: AccountQuery, sender: SenderRow): Promise<number> {
  const assistant = await findSenderAssistant(query, sender)
  if (assistant === undefined) throw new Failure('messaging.no_assistant')
  return assistant
}

/** Checks a template message against the rules of sections 4.12 and 7.3, in their order. @throws Failure */
export async function requireTemplateMessage(
  query: AccountQuery,
  account: number,
  {
    senderId,
    phone,
    templateId,
    variables,
  }: MessageAddress & { readonly templateId: number; readonly variables: Readonly<Record<string, string>> },
  now: Micros,
): Promise<SendableMessage> {
  const sender = await requireSender(query, account, senderId)
  const template = await findTemplate(query, sender, templateId)
  if (!template) throw new Failure('messaging.template_not_found')
  if (sender.status !== 'online') throw statusFailure('messaging.sender_offline', sender.status)
  if (template.status !== 'approved') throw statusFailure('messaging.template_not_approved', template.status)
  if (template.is_synced === 0) throw new Failure('messaging.template_not_synced')
  if (phone === undefined) throw new Failure('messaging.invalid_phone')
  const { body, values } = fillTemplate(template.body_text, parseJson(template.variables), variables)
  const assistant = await requireAssistant(query, sender)
  if (sender.limit_known === 0) throw new Failure('messaging.limit_unavailable')
  const limit = sender.messaging_limit ?? Number.POSITIVE_INFINITY
  if (template.is_voice_call === 1 && limit < voiceCallLimit) throw new Failure('messaging.voice_call_limit')
  if (limit < Number.POSITIVE_INFINITY && (await countRecipients(query, sender.id, now - day, phone)) >= limit)
    throw new Failure('messaging.provider_error', {
      providerCode: limitReachedCode,
      text: `This sender has reached its limit of ${limit} recipients in 24 hours.`,
    })
  return {
    sender,
    assistant,
    recipient: phone,
    templateId,
    body,
    placeholders: values,
    media: null,
    cost: messagePriceOf(template.category),
  }
}

/** Checks a message without a template, which requires an open 24-hour window. Audio has no caption. @throws Failure */
export async function requireFreeformMessage(
  query: AccountQuery,
  account: number,
  draft: MessageAddress & {
    readonly message?: string | undefined
    readonly mediaUrl?: string | undefined
    readonly filename?: string | undefined
  },
  now: Micros,
): Promise<SendableMessage> {
  const { senderId, phone, message = '', mediaUrl, filename } = draft
  const sender = await requireSender(query, account, senderId)
  if (sender.status !== 'online') throw statusFailure('messaging.sender_offline_freeform', sender.status)
  if (phone === undefined) throw new Failure('messaging.invalid_phone')
  const session = await getSession(query, sender, phone, now)
  if (!session.isOpen)
    throw new Failure('messaging.session_expired', { extra: { session_status: toSessionStatus(session) } })
  const assistant = await requireAssistant(query, sender)
  const media = mediaUrl === undefined ? null : { url: mediaUrl, filename: filename ?? null }
  const body = media && isAudioAddress(media.url) ? '' : message
  return {
    sender,
    assistant,
    recipient: phone,
    templateId: null,
    body,
    placeholders: null,
    media,
    cost: messagePriceOf('freeform'),
    until: session.until ?? undefined,
  }
}
