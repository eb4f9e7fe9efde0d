import type { Connection } from '../../store/database/connection.ts'
import { digest } from '../local/digest.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { IdempotencyKeyReused } from '../local/idempotency-key-reused.ts'
import { refusedSmsRecipient } from '../local/test-numbers.ts'
import type { SmsProvider } from '../ports/sms.ts'

const smsSid = (key: string): string => `SM${digest(key, 32)}`

/**
 * Creates an SMS carrier that stores its messages in the table `local_sms`. It uses its own transactions and never
 * takes part in the platform's.
 */
export const localSms = ({
  connection,
  gate,
}: {
  connection: Connection
  gate?: FaultInjector | undefined
}): SmsProvider => ({
  name: 'local',
  description: 'Simulated SMS carrier, stored in the database of this platform. No real messages are sent.',

  send: (key, { from, to, body }) =>
    withFaultInjection(gate, 'texting.send', () =>
      connection.write(async (query) => {
        const known = await query.selectFrom('local_sms').selectAll().where('key', '=', key).executeTakeFirst()
        if (known && (known.sender !== from || known.recipient !== to || known.body !== body))
          throw new IdempotencyKeyReused(key)
        const failure = to === refusedSmsRecipient ? 'The number cannot receive SMS.' : null
        const record = known ?? {
          key,
          sid: failure === null ? smsSid(key) : null,
          sender: from,
          recipient: to,
          body,
          failure,
        }
        if (!known) await query.insertInto('local_sms').values(record).execute()
        return record.sid === null
          ? { ok: false, code: null, reason: record.failure ?? '' }
          : { ok: true, sid: record.sid, status: 'queued' }
      }),
    ),
})
