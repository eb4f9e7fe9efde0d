// Mail and SMS of a local platform. `mail.send` and `texting.send` are names in fault rules of users (contract/control/simulate.ts lists them), and the ids
// are derived from stored keys: both never change.

import type { Micros } from '../../../contract/values/micros.ts'
import type { Mail, MailProvider, ProviderResult, SmsProvider } from '../../../engine/ports.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Connection } from '../../store/database/connection.ts'
import { digest } from '../local/digest.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { IdempotencyKeyReused } from '../local/idempotent-request.ts'
import { refusedSmsRecipient } from '../local/test-numbers.ts'
import { parseSmtpServer } from './smtp-server.ts'

/** Sender address without a connection. */
const defaultSender = 'automations@parley.invalid'

/**
 * Creates a mail provider that uses the SMTP server of the connection. Without one, mail goes only to the outbox, the
 * table `local_mail`. Sent mail is recorded there in both cases, so that each key sends once. After a crash before that
 * record, the mail is sent again under the same Message-ID.
 */
export const localMail = ({
  connection,
  gate,
  isOffline = false,
}: {
  connection: Connection
  gate?: FaultInjector | undefined
  isOffline?: boolean | undefined
}): MailProvider => ({
  name: 'local',
  description:
    'Sends email through the SMTP server of the connection. Without one, email stays in the outbox of this platform and is not sent.',

  send: (key, access, mail) =>
    withFaultInjection(gate, 'mail.send', async () => {
      const recipients = stringifyJson([...mail.to, ...mail.cc, ...mail.bcc])
      const body = mail.html ?? mail.text ?? ''
      const known = await connection.read.selectFrom('local_mail').selectAll().where('key', '=', key).executeTakeFirst()
      if (known && (known.recipients !== recipients || known.subject !== mail.subject || known.body !== body))
        throw new IdempotencyKeyReused(key)
      if (known) return { ok: true, value: { id: known.id } }
      const server = parseSmtpServer(access.secret)
      if (server && 'wrong' in server) return { ok: false, reason: server.wrong, because: 'access' }
      if (server && isOffline)
        return { ok: false, reason: `This platform connects to no other server: ${server.host} was not reached.` }
      const sender = server?.from ?? defaultSender
      const id = `<${digest(key, 32)}@${sender.slice(sender.lastIndexOf('@') + 1).replace(/>$/, '')}>`
      const sent = server ? await sendOverSmtp(server, { id, sender, mail, now: access.now }) : ({ ok: true } as const)
      if (!sent.ok) return sent
      await connection.write('rows', (query) =>
        query
          .insertInto('local_mail')
          .values({
            key,
            owner: access.account,
            id,
            server: server?.host ?? null,
            sender,
            recipients,
            subject: mail.subject,
            body,
            at: access.now,
          })
          .onConflict((it) => it.doNothing())
          .execute(),
      )
      return { ok: true, value: { id } }
    }),
})

async function sendOverSmtp(
  server: Exclude<ReturnType<typeof parseSmtpServer>, undefined | { wrong: string }>,
  { id, sender, mail, now }: { id: string; sender: string; mail: Mail; now: Micros },
): Promise<ProviderResult<object>> {
  const { sendMail } = await import('./send-mail.ts')
  return sendMail(server, { id, sender, mail, at: new Date(now / 1000) })
}

/** Returns the id of the SMS with this key. */
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
