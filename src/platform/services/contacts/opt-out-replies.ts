import { contactSources } from '../../../contract/values/contact-sources.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { defaultOptOutSettings, type ReplyMeaning, readOptOutReply } from '../../../contract/values/opt-out-words.ts'
import { listBlocksOf } from '../../store/contacts/blocked-contacts.ts'
import { findOptOutSettings } from '../../store/contacts/opt-out-settings.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { appendEvent } from '../../store/deliveries/outbox.ts'
import type { Deps } from '../runtime/deps.ts'
import { addBlocks, removeBlocks } from './contact-service.ts'

/** What follows from a message of a contact. */
export interface ReplyConsequence {
  /** Text that confirms the opt-out; undefined if the contact had opted out before, or does not opt out. */
  readonly confirmation?: string | undefined
  /** Whether an assistant may answer the message. */
  readonly isAnswered: boolean
  /** A word to opt out in a longer message, which a person should read. */
  readonly suspectedWord?: string | undefined
}

/** A message of a contact on the messaging channel. */
interface ContactReply {
  readonly phone: string
  readonly text: string
}

/**
 * Blocks a contact whose message consists of a word to opt out, and unblocks one that a reply has blocked and whose message
 * consists of a word to opt in, in the caller's transaction, which holds the account.
 */
export async function applyOptOutReply(
  query: AccountQuery,
  deps: Pick<Deps, 'wall'>,
  { phone, text }: ContactReply,
  now: Micros,
): Promise<ReplyConsequence> {
  const meaning = readOptOutReply(text, (await findOptOutSettings(query)) ?? defaultOptOutSettings)
  if (meaning?.kind === 'stop')
    return { isAnswered: false, confirmation: await optOut(query, deps, phone, meaning, now) }
  if (meaning?.kind === 'start') {
    // What a person or an import has blocked, only a person unblocks.
    const [block] = await listBlocksOf(query, 'messaging', [phone])
    if (block?.source === contactSources.reply) {
      await removeBlocks(query, [{ phone, channel: 'messaging' }], now)
      // An answer to the command would be charged and say nothing. What the contact writes next is answered.
      return { isAnswered: false }
    }
  }
  return { isAnswered: true, ...(meaning?.kind === 'suspected' && { suspectedWord: meaning.word }) }
}

/** Blocks a contact. Returns the text that confirms it; undefined if the contact was blocked. */
async function optOut(
  query: AccountQuery,
  deps: Pick<Deps, 'wall'>,
  phone: string,
  { word, confirmation }: ReplyMeaning & { readonly kind: 'stop' },
  now: Micros,
): Promise<string | undefined> {
  const block = { phone, channel: 'messaging', reason: `Replied "${word}"`, source: contactSources.reply } as const
  const { added } = await addBlocks(query, deps, [block], now)
  return added > 0 ? confirmation : undefined
}

/** Records that a person should read a message, because it may ask to opt out. */
export async function recordSuspectedOptOut(
  query: AccountQuery,
  { phone, word, conversation }: { readonly phone: string; readonly word: string; readonly conversation: string },
  now: Micros,
): Promise<void> {
  await appendEvent(query, {
    account: query.account,
    kind: 'contact.opt_out_suspected',
    subject: `conversation ${conversation}`,
    payload: { phone_number: phone, channel: 'messaging', word, conversation_id: conversation },
    now,
  })
}
