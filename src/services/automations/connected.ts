import { type CalendarPort, type ConnectionKind, type CrmPort, type MailPort, type SheetsPort, StepFailure } from '../../automation/ports.ts'
import type { Bookings, Told, Whose } from '../connected-ports.ts'
import type { Deps } from '../deps.ts'
import { connectionsPort } from './connections.ts'
import { keyOf } from './own-actions.ts'

type Asker = (account: number) => Promise<Whose>

/** Who is asked, with what opens the account's account there. @throws StepFailure for a connection that has expired, or that is not there and must be */
function askerOf(deps: Deps, kind: ConnectionKind, isNeeded: boolean): Asker {
  const connections = connectionsPort(deps)
  return async (account) => {
    const found = await connections.find(account, kind)
    if (found.status === 'expired') throw new StepFailure(`The connection ${kind} has expired.`, { classification: 'missing_connection' })
    if (found.status === 'missing' && isNeeded) throw new StepFailure(`The connection ${kind} is missing.`, { classification: 'missing_connection' })
    const secret = found.status === 'active' ? found.secret : {}
    return { account, access: typeof secret === 'object' && secret !== null ? (secret as Whose['access']) : {} }
  }
}

/** What was told, or why not as the step's failure. */
function had<T>(told: Told<T>): T {
  if (told.ok) return told
  const { reason, because } = told
  const classification = because === 'missing' ? 'missing_record' : because === 'access' ? 'missing_connection' : 'wiring_error'
  throw new StepFailure(reason, { classification, retriable: because === 'busy' })
}

export function mailPort(deps: Deps): MailPort {
  const whose = askerOf(deps, 'mail', true)
  return {
    send: async (act, mail) => ({ id: had(await deps.providers.mail.send(keyOf(act), await whose(act.account), mail, await deps.clock.now())).id }),
  }
}

export function sheetsPort(deps: Deps): SheetsPort {
  const whose = askerOf(deps, 'spreadsheet', true)
  const sheets = () => deps.providers.sheets
  return {
    append: async (act, at, values) => had(await sheets().append(keyOf(act), await whose(act.account), at, values)).row,
    update: async (act, at, row, values) => had(await sheets().update(keyOf(act), await whose(act.account), at, row, values)).row,
    async remove(act, at, row) {
      had(await sheets().remove(keyOf(act), await whose(act.account), at, row))
    },
    rows: async (account, at, after, limit) => had(await sheets().rows(await whose(account), at, after, limit)).rows,
  }
}

/** An assistant's own calendar serves an account that has connected none. */
export const calendarPort = (deps: Deps, kind: 'calendar-a' | 'calendar-b'): CalendarPort =>
  bookingPort(() => (kind === 'calendar-a' ? deps.providers.calendarA : deps.providers.calendarB), askerOf(deps, kind, false))

function bookingPort(calendar: () => Bookings, whose: Asker): CalendarPort {
  return {
    find: async (account, query) => calendar().find(await whose(account), query),
    book: async (act, draft) => had(await calendar().book(keyOf(act), await whose(act.account), draft)).appointment,
    move: async (act, id, start) => had(await calendar().move(keyOf(act), await whose(act.account), id, start)).appointment,
    cancel: async (act, id, reason) => had(await calendar().cancel(keyOf(act), await whose(act.account), id, reason)).appointment,
  }
}

export function crmPort(deps: Deps): CrmPort {
  const whose = askerOf(deps, 'crm-b', true)
  const crm = () => deps.providers.crmB
  return {
    ...bookingPort(crm, whose),
    findContact: async (account, query) => crm().findContact(await whose(account), query),
    saveContact: async (act, contact) => crm().saveContact(keyOf(act), await whose(act.account), contact),
    addNote: async (act, contact, text) => ({ id: had(await crm().addNote(keyOf(act), await whose(act.account), contact, text)).id }),
    contactsAfter: async (account, id) => crm().contactsAfter(await whose(account), id),
  }
}
