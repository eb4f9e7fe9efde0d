import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { JournalEntry } from '../../../client/journal/open-operations.ts'
import { isOnPlatform, searchTexts } from '../../../client/journal/open-operations.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { campaigns } from '../../../contract/resources/campaigns.ts'
import { contacts } from '../../../contract/resources/contacts.ts'
import { conversations } from '../../../contract/resources/conversations.ts'
import { messaging } from '../../../contract/resources/messaging.ts'
import { numbers } from '../../../contract/resources/numbers.ts'
import { maxPerPage } from '../../../contract/values/page-size.ts'
import type { Context } from '../context.ts'
import { parseTime } from '../output/time.ts'
import { quote } from './number-offers.ts'
import { isInFlight, type ResolvedOutcome, unknownForNow } from './resolved-outcome.ts'

// Finds outcomes on a platform without idempotency keys by reading the results of an operation. Nothing is repeated. The journal stores
// `detail`, and `ops` prints it as JSON: its fields are added, not renamed, and its sentences are for people.

const doneVerdict = (reconciled: string, more: object = {}): ResolvedOutcome => ({
  state: 'done',
  detail: { reconciled, ...more },
})
const refusedVerdict = (reconciled: string, more: object = {}): ResolvedOutcome => ({
  state: 'refused',
  detail: { reconciled, ...more },
})
const inputOf = <T>({ input }: JournalEntry): T => input as T

/** Milliseconds that the clocks of this machine and of the platform may differ. */
const maxSkewMs = 120_000

/** Returns the other operations with the subject of an entry, such as its number, that were carried out. */
async function otherDoneEntries(context: Context, entry: JournalEntry): Promise<readonly JournalEntry[]> {
  const journal = await context.journal()
  return journal
    .list({ texts: searchTexts(entry) })
    .filter((it) => it.id !== entry.id && it.state === 'done' && isOnPlatform(it, entry))
}

/**
 * Resolves a purchase: the number is on the account, or still for sale. An absent number alone proves nothing, because
 * a platform may provision it late. A number that was on the account before was not bought by this purchase.
 */
export async function purchaseVerdict(context: Context, entry: JournalEntry): Promise<ResolvedOutcome> {
  const { phone_number: number } = inputOf<{ phone_number: string }>(entry)
  const { data } = await context.call(numbers.list, {})
  const owned = data.find((it) => it.phone_number === number)
  const since = owned && parseTime(String(owned.created_at))
  if (since !== undefined && since < (await context.platformTime(entry.at)) - maxSkewMs)
    return refusedVerdict('The number was on the account before.', { created_at: owned?.created_at })
  if (owned) return doneVerdict('The number is on the account.', costDetail(owned.price))
  if (isInFlight(context, entry)) return unknownForNow(context, entry)
  if (await quote(context, number)) return refusedVerdict('The number is not on the account, and is still for sale.')
  return unknownForNow(context, entry, { evidence: 'The number is neither on the account nor for sale.' })
}

/** Returns the monthly price of a number that was bought; undefined if the account does not list it with its price. */
export async function purchaseCost(context: Context, entry: JournalEntry): Promise<number | undefined> {
  const { phone_number: number } = inputOf<{ phone_number: string }>(entry)
  const { data } = await context.call(numbers.list, {})
  return costDetail(data.find((it) => it.phone_number === number)?.price).costUsd
}

const costDetail = (price: unknown): { readonly costUsd?: number } =>
  typeof price === 'number' ? { costUsd: price } : {}

/** Resolves the start of a campaign by its status. A paused campaign may have been started and stopped again. */
export async function campaignVerdict(context: Context, entry: JournalEntry): Promise<ResolvedOutcome> {
  const { campaign_id: id } = inputOf<{ campaign_id: number }>(entry)
  const { status } = (await context.call(campaigns.get, { id })).data
  if (status !== 'draft' && status !== 'paused') return doneVerdict(`The campaign is ${status}.`, { status })
  if (isInFlight(context, entry)) return unknownForNow(context, entry)
  return status === 'draft'
    ? refusedVerdict('The campaign is still a draft.', { status })
    : { state: 'unknown', isFinal: true, detail: { evidence: { status } } }
}

/** Resolves the start of what waited for the contact hours by its state. */
export async function waitingVerdict(context: Context, entry: JournalEntry): Promise<ResolvedOutcome> {
  const { waiting_id } = inputOf<{ waiting_id: number }>(entry)
  const [found] = (await context.call(contacts.waiting, { waiting_id, state: 'all' })).data
  if (found?.state === 'started') return doneVerdict('It was started.', { started_id: found.started_id })
  if (isInFlight(context, entry)) return unknownForNow(context, entry)
  return refusedVerdict('It was not started.', { state: found?.state ?? null })
}

/**
 * Resolves a chat message by the last message of the conversation. Messages with the same text that are known to have
 * been sent are not taken for it.
 */
export async function chatVerdict(context: Context, entry: JournalEntry): Promise<ResolvedOutcome> {
  const { uuid, message } = inputOf<{ uuid: string; message: string }>(entry)
  const { history } = await context.call(conversations.get, { uuid })
  const sentTexts = history.filter((it) => it.role === 'user').map((it) => it.content)
  const others = await otherDoneEntries(context, entry)
  const same = others.filter((it) => inputOf<{ message: string }>(it).message === message).length
  const isPresent = sentTexts.filter((it) => it === message).length > same
  if (isPresent && sentTexts.at(-1) === message) return doneVerdict('It is the last message of the conversation.')
  if (isInFlight(context, entry)) return unknownForNow(context, entry)
  // A history with fewer messages than were sent from here is not complete.
  return isPresent || sentTexts.length < others.length
    ? { state: 'unknown', isFinal: true }
    : refusedVerdict('The conversation does not have the message.')
}

/**
 * Resolves a call: the list of calls to that number contains one that started at that time, and that is not the call of
 * another operation.
 */
export async function callVerdict(context: Context, entry: JournalEntry): Promise<ResolvedOutcome> {
  const { phone_number } = inputOf<{ phone_number: string }>(entry)
  const { data } = await context.call(calls.list, { phone_number, type: 'outbound', per_page: maxPerPage })
  const at = await context.platformTime(entry.at)
  const distanceOf = (time: string): number => Math.abs((parseTime(time) ?? Number.NaN) - at)
  const found = data
    .filter((it) => distanceOf(it.created_at) < maxSkewMs && it.client_phone_number === phone_number)
    .sort((a, b) => distanceOf(a.created_at) - distanceOf(b.created_at))
  const others = (await otherDoneEntries(context, entry)).filter(
    (it) => Math.abs(Date.parse(it.at) - Date.parse(entry.at)) < 2 * maxSkewMs,
  )
  const [call] = found
  return call && found.length > others.length
    ? doneVerdict('A call to that number started at that time.', { call_id: call.id })
    : unknownForNow(context, entry)
}

/** Gathers evidence about a message. No platform returns a single message, so only its conversation can be read. */
export async function messageVerdict(context: Context, entry: JournalEntry): Promise<ResolvedOutcome> {
  const { sender_id, recipient_phone } = inputOf<{ sender_id: number; recipient_phone: string }>(entry)
  const seen = await context.call(messaging.session, { sender_id, recipient_phone }).catch((error: unknown) => {
    if (error instanceof ClientFailure && error.status !== undefined) return undefined
    throw error
  })
  const conversation = seen?.conversation_id == null ? 'no conversation' : `conversation ${seen.conversation_id}`
  const window = seen?.session_status.is_open
    ? `a window that closes ${seen.session_status.expires_at ?? 'later'}`
    : 'no open window'
  return {
    state: 'unknown',
    isFinal: !isInFlight(context, entry),
    detail: {
      evidence: {
        has_conversation: seen?.has_conversation ?? null,
        ...seen?.session_status,
        conversation_id: seen?.conversation_id ?? null,
      },
    },
    note: `${recipient_phone}: ${conversation} and ${window}. This platform does not report the delivery of a single message.`,
  }
}

/** Returns an unknown outcome, for operations without any readable result. */
export const unknownVerdict = async (context: Context, entry: JournalEntry): Promise<ResolvedOutcome> => ({
  state: 'unknown',
  isFinal: !isInFlight(context, entry),
})
