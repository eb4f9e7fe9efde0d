import type {
  ActionKey,
  CalendarPort,
  ConnectedPort,
  ConnectionKind,
  CrmPort,
  MailPort,
  SheetsPort,
} from '../../../flow/pieces/ports.ts'
import { StepFailure } from '../../../flow/pieces/step-failure.ts'
import type { CalendarProvider } from '../../../providers/ports/calendar.ts'
import type { ConnectionAccess } from '../../../providers/ports/connection-access.ts'
import type { CrmProvider } from '../../../providers/ports/crm.ts'
import type { MailProvider } from '../../../providers/ports/mail.ts'
import type { Provider, ProviderRefusal, ProviderResult } from '../../../providers/ports/provider.ts'
import type { SpreadsheetProvider } from '../../../providers/ports/spreadsheets.ts'
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
      now: await deps.clock.now(),
    }
  }
}

function toStepFailure({ reason, because }: ProviderRefusal): StepFailure {
  const classification =
    because === 'missing' ? 'missing_record' : because === 'access' ? 'missing_connection' : 'wiring_error'
  return new StepFailure(reason, { classification })
}

interface ConnectedOptions<P extends Provider> {
  readonly kind: ConnectionKind
  readonly isRequired: boolean
  readonly provider: () => P
  /** The methods of the provider by name. The compiler reports a missing one. */
  readonly methods: Readonly<Record<keyof ConnectedPort<P>, true>>
}

type ConnectedMethod = (...values: unknown[]) => Promise<ProviderResult<{ readonly value: unknown }>>

/** Returns the port of a provider: it adds the credentials of the account, and throws refusals as StepFailure. */
function connectedPort<P extends Provider>(
  deps: Deps,
  { kind, isRequired, provider, methods }: ConnectedOptions<P>,
): ConnectedPort<P> {
  const resolveAccess = accessResolver(deps, kind, isRequired)
  const call = async (name: string, by: ActionKey | number, rest: readonly unknown[]): Promise<unknown> => {
    const caller = typeof by === 'number' ? [await resolveAccess(by)] : [actionKey(by), await resolveAccess(by.account)]
    const method = (provider() as unknown as Record<string, ConnectedMethod>)[name] as ConnectedMethod
    const result = await method(...caller, ...rest)
    if (!result.ok) throw toStepFailure(result)
    return result.value
  }
  const entries = Object.keys(methods).map((name) => [
    name,
    (by: ActionKey | number, ...rest: readonly unknown[]) => call(name, by, rest),
  ])
  return Object.fromEntries(entries) as ConnectedPort<P>
}

/** Sends mail through the account's mail connection. */
export const mailPort = (deps: Deps): MailPort =>
  connectedPort<MailProvider>(deps, {
    kind: 'mail',
    isRequired: true,
    provider: () => deps.providers.mail,
    methods: { send: true },
  })

/** Reads and writes spreadsheets through the account's spreadsheet connection. */
export const sheetsPort = (deps: Deps): SheetsPort =>
  connectedPort<SpreadsheetProvider>(deps, {
    kind: 'spreadsheet',
    isRequired: true,
    provider: () => deps.providers.sheets,
    methods: { append: true, update: true, remove: true, rows: true },
  })

const calendarMethods = { find: true, book: true, move: true, cancel: true } as const

/** Returns the calendar port. It needs no connection: an account without one uses the calendar of its assistants. */
export const calendarPort = (deps: Deps, kind: 'calendar-a' | 'calendar-b'): CalendarPort =>
  connectedPort<CalendarProvider>(deps, {
    kind,
    isRequired: false,
    provider: () => (kind === 'calendar-a' ? deps.providers.calendarA : deps.providers.calendarB),
    methods: calendarMethods,
  })

/** Manages contacts and appointments through the account's CRM connection. */
export const crmPort = (deps: Deps): CrmPort =>
  connectedPort<CrmProvider>(deps, {
    kind: 'crm-b',
    isRequired: true,
    provider: () => deps.providers.crmB,
    methods: { ...calendarMethods, findContact: true, saveContact: true, addNote: true, contactsAfter: true },
  })
