import {
  type CalendarPort,
  type ConnectionKind,
  type CrmPort,
  type MailPort,
  type SheetsPort,
  StepFailure,
} from '../../../flow/pieces/ports.ts'
import type { CalendarProvider, ConnectionAccess, ProviderResult } from '../../../providers/ports/connected-accounts.ts'
import type { Deps } from '../../runtime/deps.ts'
import { connectionsPort } from './connection-service.ts'
import { actionKey } from './platform-ports.ts'

type AccessResolver = (account: number) => Promise<ConnectionAccess>

/**
 * Returns a function that finds the credentials of an account's connection. @throws StepFailure for an expired
 * connection, or for a missing one that is required
 */
function accessResolver(deps: Deps, kind: ConnectionKind, isRequired: boolean): AccessResolver {
  const connections = connectionsPort(deps)
  return async (account) => {
    const found = await connections.find(account, kind)
    if (found.status === 'expired')
      throw new StepFailure(`The connection ${kind} has expired.`, { classification: 'missing_connection' })
    if (found.status === 'missing' && isRequired)
      throw new StepFailure(`The connection ${kind} is missing.`, { classification: 'missing_connection' })
    const secret = found.status === 'active' ? found.secret : {}
    return {
      account,
      secret: typeof secret === 'object' && secret !== null ? (secret as ConnectionAccess['secret']) : {},
    }
  }
}

/** Returns a successful result, or throws the provider's refusal as a step failure. */
function unwrapResult<T>(result: ProviderResult<T>): T {
  if (result.ok) return result
  const { reason, because } = result
  const classification =
    because === 'missing' ? 'missing_record' : because === 'access' ? 'missing_connection' : 'wiring_error'
  throw new StepFailure(reason, { classification, retriable: because === 'busy' })
}

/** Sends mail through the account's mail connection. */
export function mailPort(deps: Deps): MailPort {
  const resolveAccess = accessResolver(deps, 'mail', true)
  return {
    send: async (action, mail) => ({
      id: unwrapResult(
        await deps.providers.mail.send(
          actionKey(action),
          await resolveAccess(action.account),
          mail,
          await deps.clock.now(),
        ),
      ).id,
    }),
  }
}

/** Reads and writes spreadsheets through the account's spreadsheet connection. */
export function sheetsPort(deps: Deps): SheetsPort {
  const resolveAccess = accessResolver(deps, 'spreadsheet', true)
  const sheets = () => deps.providers.sheets
  return {
    append: async (action, at, values) =>
      unwrapResult(await sheets().append(actionKey(action), await resolveAccess(action.account), at, values)).row,
    update: async (action, at, row, values) =>
      unwrapResult(await sheets().update(actionKey(action), await resolveAccess(action.account), at, row, values)).row,
    async remove(action, at, row) {
      unwrapResult(await sheets().remove(actionKey(action), await resolveAccess(action.account), at, row))
    },
    rows: async (account, at, after, limit) =>
      unwrapResult(await sheets().rows(await resolveAccess(account), at, after, limit)).rows,
  }
}

/** Returns the calendar port. It needs no connection: an account without one uses the calendar of its assistants. */
export const calendarPort = (deps: Deps, kind: 'calendar-a' | 'calendar-b'): CalendarPort =>
  bookingPort(
    () => (kind === 'calendar-a' ? deps.providers.calendarA : deps.providers.calendarB),
    accessResolver(deps, kind, false),
  )

function bookingPort(calendar: () => CalendarProvider, resolveAccess: AccessResolver): CalendarPort {
  return {
    find: async (account, query) => calendar().find(await resolveAccess(account), query),
    book: async (action, draft) =>
      unwrapResult(await calendar().book(actionKey(action), await resolveAccess(action.account), draft)).appointment,
    move: async (action, id, start) =>
      unwrapResult(await calendar().move(actionKey(action), await resolveAccess(action.account), id, start))
        .appointment,
    cancel: async (action, id, reason) =>
      unwrapResult(await calendar().cancel(actionKey(action), await resolveAccess(action.account), id, reason))
        .appointment,
  }
}

/** Manages contacts and appointments through the account's CRM connection. */
export function crmPort(deps: Deps): CrmPort {
  const resolveAccess = accessResolver(deps, 'crm-b', true)
  const crm = () => deps.providers.crmB
  return {
    ...bookingPort(crm, resolveAccess),
    findContact: async (account, query) => crm().findContact(await resolveAccess(account), query),
    saveContact: async (action, contact) =>
      crm().saveContact(actionKey(action), await resolveAccess(action.account), contact),
    addNote: async (action, contact, text) => ({
      id: unwrapResult(await crm().addNote(actionKey(action), await resolveAccess(action.account), contact, text)).id,
    }),
    contactsAfter: async (account, id) => crm().contactsAfter(await resolveAccess(account), id),
  }
}
