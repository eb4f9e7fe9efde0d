import type { SmsProvider } from '../../../engine/ports.ts'
import type { Connection } from '../../store/database/connection.ts'
import { digest } from '../local/digest.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { IdempotencyKeyReused } from '../local/idempotent-request.ts'
import { refusedSmsRecipient } from '../local/test-numbers.ts'

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
      connection.write('rows', async (query) => {
        const failure = to === refusedSmsRecipient ? 'The number cannot receive SMS.' : null
        const record = { key, sid: failure === null ? smsSid(key) : null, sender: from, recipient: to, body, failure }
        const isNew = await query
          .insertInto('local_sms')
          .values(record)
          .onConflict((it) => it.doNothing())
          .returning('key')
          .executeTakeFirst()
        const { sid, ...stored } = isNew
          ? record
          : await query.selectFrom('local_sms').selectAll().where('key', '=', key).executeTakeFirstOrThrow()
        if (stored.sender !== from || stored.recipient !== to || stored.body !== body)
          throw new IdempotencyKeyReused(key)
        return sid === null
          ? { ok: false, code: null, reason: stored.failure ?? '' }
          : { ok: true, sid, status: 'queued' }
      }),
    ),
})
