import { mails } from '../../../contract/control/mails.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { parseJson } from '../../../node/json.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import { listMails } from '../../store/simulators/sent-mails.ts'

/** Maximum mails in the list. */
const maxMails = 100

/** Returns the endpoints of the resource with their handlers. */
export const mailResource = (deps: Pick<Deps, 'connection'>): LoadedResource =>
  loadedResource(mails, mailHandlers(deps))

/** Creates the handlers of the control API for mails. */
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
          to: parseJson(recipients),
          subject,
          body,
          sent_at: toIsoMicros(at),
        })),
      }
    },
  }
}
