import { Failure } from '../../../contract/errors/failures.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import type { Channel } from '../../store/campaigns/tables.ts'
import { listBlocksOf } from '../../store/contacts/blocked-contacts.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { appendEvent } from '../../store/deliveries/outbox.ts'

/** Why a number must not be contacted now. `reason` and `source` say where the block comes from. */
export interface ContactRefusal {
  readonly failure: 'contacts.blocked'
  readonly reason: string | null
  readonly source: string
}

/**
 * Decides whether numbers may be contacted over a channel now. Every send and call asks this function, in a transaction that
 * holds the account: when its intent is stored, and again directly before each request to its provider. Returns the
 * refusals by number; a number without one may be contacted.
 */
export async function findContactRefusals(
  query: AccountQuery,
  channel: Channel,
  phones: readonly string[],
): Promise<ReadonlyMap<string, ContactRefusal>> {
  const blocks = await listBlocksOf(query, channel, phones)
  return new Map(
    blocks.map(({ phone_number, reason, source }) => [phone_number, { failure: 'contacts.blocked', reason, source }]),
  )
}

/** Requires that a number may be contacted over a channel now. @throws Failure 422 if it may not */
export async function requireContactAllowed(query: AccountQuery, channel: Channel, phone: string): Promise<void> {
  const refusal = (await findContactRefusals(query, channel, [phone])).get(phone)
  if (refusal) throw new Failure(refusal.failure)
}

/** A number that was not contacted, and the subject of the event: what was skipped. */
interface SkippedContact {
  readonly channel: Channel
  readonly phone: string
  readonly subject: string
}

/** Records that a number was not contacted if it must not be, in the caller's transaction. */
export async function recordIfRefused(query: AccountQuery, contact: SkippedContact, now: Micros): Promise<void> {
  const refusal = (await findContactRefusals(query, contact.channel, [contact.phone])).get(contact.phone)
  if (refusal) await recordSkippedContact(query, contact, refusal, now)
}

/** Records that a number was not contacted and why, in the caller's transaction. */
export async function recordSkippedContact(
  query: AccountQuery,
  { channel, phone, subject }: SkippedContact,
  { reason, source }: Pick<ContactRefusal, 'reason' | 'source'>,
  now: Micros,
): Promise<void> {
  await appendEvent(query, {
    account: query.account,
    kind: 'contact.skipped',
    subject,
    payload: { phone_number: phone, channel, reason, source },
    now,
  })
}
