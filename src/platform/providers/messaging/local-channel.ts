import { templateValueProblem } from '../../../contract/values/template-value.ts'
import type { MessagingChannel, SendResult } from '../../../engine/ports.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { Connection, PlatformQuery } from '../../store/database/connection.ts'
import type { LocalChannelSendTable, LocalSenderTable } from '../../store/simulators/tables.ts'
import { digest } from '../local/digest.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { IdempotencyKeyReused } from '../local/idempotent-request.ts'
import { type ChannelRefusal, findTestRecipient } from './test-recipients.ts'

/** Returns the id of the message with this key. Stored with the message, here and by the platform: earlier ones keep theirs. */
const messageSid = (key: string): string => `MM${digest(key, 32)}`

const toSendResult = ({ sid, recipient, failure }: LocalChannelSendTable): SendResult =>
  sid === null
    ? { ok: false, ...(parseJson(failure ?? '') as ChannelRefusal) }
    : { ok: true, sid, status: findTestRecipient(recipient)?.status ?? 'queued' }

/** The refusal of values that the channel does not accept in a template. */
function templateRefusal(values: readonly string[]): ChannelRefusal | null {
  const problem = values.map(templateValueProblem).find((it) => it !== undefined)
  return problem === undefined ? null : { code: '21656', reason: `A value of the template contains ${problem}.` }
}

/**
 * Creates a messaging channel that stores its messages in the table `local_channel_send`. It uses its own transactions
 * and never takes part in the platform's.
 */
export const localChannel = ({
  connection,
  gate,
}: {
  connection: Connection
  gate?: FaultInjector | undefined
}): MessagingChannel => ({
  name: 'local',
  description: 'Simulated messaging channel, stored in the database of this platform. No real messages are sent.',

  send: (key, { sender, recipient, body, template, media }) =>
    withFaultInjection(gate, 'channel.send', () =>
      connection.write('rows', async (query) => {
        const refusal = findTestRecipient(recipient)?.refusal ?? templateRefusal(template?.placeholders ?? [])
        const record = {
          key,
          sid: refusal ? null : messageSid(key),
          sender,
          recipient,
          body,
          media_url: media?.url ?? null,
          failure: refusal && stringifyJson(refusal),
        }
        const isNew = await query
          .insertInto('local_channel_send')
          .values(record)
          .onConflict((it) => it.doNothing())
          .returning('key')
          .executeTakeFirst()
        const stored = isNew
          ? record
          : await query.selectFrom('local_channel_send').selectAll().where('key', '=', key).executeTakeFirstOrThrow()
        if (stored.sender !== sender || stored.recipient !== recipient || stored.body !== body)
          throw new IdempotencyKeyReused(key)
        return toSendResult(stored)
      }),
    ),

  sender: (phone) =>
    withFaultInjection(gate, 'channel.look', async () => {
      const row = await connection.read
        .selectFrom('local_sender')
        .selectAll()
        .where('phone_number', '=', phone)
        .executeTakeFirst()
      return {
        ...(row?.status && { status: row.status as 'online' | 'offline' }),
        ...(row?.quality_rating && { qualityRating: row.quality_rating }),
        ...(row?.limit_known === 1 && { messagingLimit: row.messaging_limit }),
      }
    }),

  templates: (phone) =>
    withFaultInjection(gate, 'channel.look', () =>
      connection.read
        .selectFrom('local_template')
        .select(['name', 'language', 'status'])
        .where('sender', '=', phone)
        .orderBy('name')
        .execute(),
    ),
})

/**
 * Sets the state of a sender on the local channel, for simulations. The table contains only values that differ from what the
 * platform was sent; the next read of the channel takes them over.
 */

export async function setSenderState(
  query: PlatformQuery,
  phone: string,
  change: Partial<Omit<LocalSenderTable, 'phone_number'>>,
): Promise<void> {
  const blank = { phone_number: phone, status: null, quality_rating: null, messaging_limit: null, limit_known: null }
  await query
    .insertInto('local_sender')
    .values({ ...blank, ...change })
    .onConflict((conflict) =>
      conflict.column('phone_number').doUpdateSet(Object.keys(change).length > 0 ? change : { phone_number: phone }),
    )
    .execute()
}

/** Sets the state of a template on the local channel. */
export async function setTemplateState(
  query: PlatformQuery,
  template: { readonly sender: string; readonly name: string; readonly language: string; readonly status: string },
): Promise<void> {
  await query
    .insertInto('local_template')
    .values(template)
    .onConflict((one) => one.columns(['sender', 'name', 'language']).doUpdateSet({ status: template.status }))
    .execute()
}
