import { Failure } from '../contract/errors.ts'
import type { mails } from '../contract/mails.ts'
import { toIsoMicros } from '../events/clock.ts'
import type { HandlersOf } from '../server/handler.ts'
import type { Deps } from '../services/deps.ts'
import { findAccount } from '../store/accounts.ts'
import { listMails } from '../store/mails.ts'

/** Mails that are looked at. */
const maxMails = 100

export function mailHandlers({ connection }: Pick<Deps, 'connection'>): HandlersOf<typeof mails> {
  return {
    async list({ account }) {
      if (!(await findAccount(connection.read, account))) throw new Failure('accounts.not_found')
      const rows = await listMails(connection.read, account, maxMails)
      return {
        data: rows.map(({ id, server, sender, recipients, subject, body, at }) => ({
          id,
          server,
          from: sender,
          to: JSON.parse(recipients),
          subject,
          body,
          sent_at: toIsoMicros(at),
        })),
      }
    },
  }
}
