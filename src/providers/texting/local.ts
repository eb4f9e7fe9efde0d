import type { Texting } from '../../services/ports.ts'
import type { Connection } from '../../store/connection.ts'
import { digest } from '../digest.ts'
import { type Gate, throughGate } from '../gate.ts'
import { KeyReused } from '../key-reused.ts'
import { refusedSmsRecipient } from '../magic.ts'

const sidOf = (key: string): string => `SM${digest(key, 32)}`

/** A carrier of SMS whose books are the table `local_sms`. Its own transactions: it never takes part in the platform's. */
export const localTexting = ({ connection, gate }: { connection: Connection; gate?: Gate | undefined }): Texting => ({
  name: 'local',
  description: 'A made-up carrier of SMS with its books in the database of this platform. Nobody is written to.',

  send: (key, { from, to, body }) =>
    throughGate(gate, 'texting.send', () =>
      connection.write(async (query) => {
        const known = await query.selectFrom('local_sms').selectAll().where('key', '=', key).executeTakeFirst()
        if (known && (known.sender !== from || known.recipient !== to || known.body !== body)) throw new KeyReused(key)
        const failure = to === refusedSmsRecipient ? 'The number cannot receive SMS.' : null
        const line = known ?? { key, sid: failure === null ? sidOf(key) : null, sender: from, recipient: to, body, failure }
        if (!known) await query.insertInto('local_sms').values(line).execute()
        return line.sid === null ? { ok: false, code: null, reason: line.failure ?? '' } : { ok: true, sid: line.sid, status: 'queued' }
      }),
    ),
})
