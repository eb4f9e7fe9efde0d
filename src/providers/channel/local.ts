import type { MessagingChannel, SendResult } from '../../services/ports.ts'
import type { LocalChannelSendTable } from '../../store/assistant-tables.ts'
import type { Connection } from '../../store/connection.ts'
import { digest } from '../digest.ts'
import { type FaultInjector, withFaultInjection } from '../gate.ts'
import { IdempotencyKeyReused } from '../key-reused.ts'
import { findTestRecipient, type ChannelRefusal } from './recipients.ts'

const messageSid = (key: string): string => `MM${digest(key, 32)}`

const toSendResult = ({ sid, recipient, failure }: LocalChannelSendTable): SendResult =>
  sid === null ? { ok: false, ...(JSON.parse(failure ?? '') as ChannelRefusal) } : { ok: true, sid, status: findTestRecipient(recipient)?.status ?? 'queued' }

/** A messaging channel whose books are the table `local_channel_send`. Its own transactions: it never takes part in the platform's. */
export const localChannel = ({ connection, gate }: { connection: Connection; gate?: FaultInjector | undefined }): MessagingChannel => ({
  name: 'local',
  description: 'A made-up messaging channel with its books in the database of this platform. Nobody is written to.',

  send: (key, { sender, recipient, body, media }) =>
    withFaultInjection(gate, 'channel.send', () =>
      connection.write(async (query) => {
        const known = await query.selectFrom('local_channel_send').selectAll().where('key', '=', key).executeTakeFirst()
        if (known && (known.sender !== sender || known.recipient !== recipient || known.body !== body)) throw new IdempotencyKeyReused(key)
        if (known) return toSendResult(known)

        const refusal = findTestRecipient(recipient)?.refusal ?? null
        const record = {
          key,
          sid: refusal ? null : messageSid(key),
          sender,
          recipient,
          body,
          media_url: media?.url ?? null,
          failure: refusal && JSON.stringify(refusal),
        }
        await query.insertInto('local_channel_send').values(record).execute()
        return toSendResult(record)
      }),
    ),

  sender: (phone) =>
    withFaultInjection(gate, 'channel.look', async () => {
      const row = await connection.read.selectFrom('local_sender').selectAll().where('phone_number', '=', phone).executeTakeFirst()
      return {
        ...(row?.status && { status: row.status as 'online' | 'offline' }),
        ...(row?.quality_rating && { qualityRating: row.quality_rating }),
        ...(row?.limit_known === 1 && { messagingLimit: row.messaging_limit }),
      }
    }),

  templates: (phone) =>
    withFaultInjection(gate, 'channel.look', () =>
      connection.read.selectFrom('local_template').select(['name', 'language', 'status']).where('sender', '=', phone).orderBy('name').execute(),
    ),
})
