import type { Channel, Handed } from '../../services/ports.ts'
import type { LocalChannelSendTable } from '../../store/assistant-tables.ts'
import type { Connection } from '../../store/connection.ts'
import { digest } from '../digest.ts'
import { type Gate, throughGate } from '../gate.ts'
import { KeyReused } from '../key-reused.ts'
import { magicRecipient, type Refusal } from './recipients.ts'

const sidOf = (key: string): string => `MM${digest(key, 32)}`

const outcomeOf = ({ sid, recipient, failure }: LocalChannelSendTable): Handed =>
  sid === null ? { ok: false, ...(JSON.parse(failure ?? '') as Refusal) } : { ok: true, sid, status: magicRecipient(recipient)?.status ?? 'queued' }

/** A messaging channel whose books are the table `local_channel_send`. Its own transactions: it never takes part in the platform's. */
export const localChannel = ({ connection, gate }: { connection: Connection; gate?: Gate | undefined }): Channel => ({
  name: 'local',
  description: 'A made-up messaging channel with its books in the database of this platform. Nobody is written to.',

  send: (key, { sender, recipient, body, media }) =>
    throughGate(gate, 'channel.send', () =>
      connection.write(async (query) => {
        const known = await query.selectFrom('local_channel_send').selectAll().where('key', '=', key).executeTakeFirst()
        if (known && (known.sender !== sender || known.recipient !== recipient || known.body !== body)) throw new KeyReused(key)
        if (known) return outcomeOf(known)

        const refusal = magicRecipient(recipient)?.refusal ?? null
        const line = {
          key,
          sid: refusal ? null : sidOf(key),
          sender,
          recipient,
          body,
          media_url: media?.url ?? null,
          failure: refusal && JSON.stringify(refusal),
        }
        await query.insertInto('local_channel_send').values(line).execute()
        return outcomeOf(line)
      }),
    ),

  sender: (phone) =>
    throughGate(gate, 'channel.look', async () => {
      const row = await connection.read.selectFrom('local_sender').selectAll().where('phone_number', '=', phone).executeTakeFirst()
      return {
        ...(row?.status && { status: row.status as 'online' | 'offline' }),
        ...(row?.quality_rating && { qualityRating: row.quality_rating }),
        ...(row?.limit_known === 1 && { messagingLimit: row.messaging_limit }),
      }
    }),

  templates: (phone) =>
    throughGate(gate, 'channel.look', () =>
      connection.read.selectFrom('local_template').select(['name', 'language', 'status']).where('sender', '=', phone).orderBy('name').execute(),
    ),
})
