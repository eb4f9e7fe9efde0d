// Tables without an account. Apart from those of accounts, because only a sharded PostgreSQL needs to know where they are.

import type { AccountTable } from './account-tables.ts'
import type { Tables } from './tables.ts'

/** Where a table without account lies on a sharded PostgreSQL, and why its rows belong to no account. */
interface PlatformTable {
  /** `reference`: a copy on every node, which statements join with rows of accounts; a write needs every node. `local`: only on the coordinator. */
  readonly place: 'reference' | 'local'
  readonly reason: string
}

const simulated = (reason: string): PlatformTable => ({ place: 'local', reason: `Simulator: ${reason}.` })

/** Tables whose rows belong to no account. A table that is left out does not compile. */
export const platformTables: Readonly<Record<Exclude<keyof Tables, AccountTable> | 'commit_marker', PlatformTable>> = {
  account_name: {
    place: 'reference',
    reason: 'A name is unique over all accounts, and finds the account of a request.',
  },
  clock: {
    place: 'local',
    reason: 'All accounts have the time of the platform. It changes also while a node does not answer.',
  },
  commit_marker: {
    place: 'local',
    reason: 'Transactions without an account record their commits, on one PostgreSQL all. Only PostgreSQL has it.',
  },
  fault: { place: 'local', reason: 'A rule for faults may hold for all accounts.' },
  meta: { place: 'local', reason: 'Values about the whole database, such as the version of the schema.' },
  server_node: { place: 'local', reason: 'Servers of the database.' },
  local_act: simulated('results of requests to services that accounts connect'),
  local_booking: simulated('bookings in calendars'),
  local_call: simulated('calls of the carrier'),
  local_channel_send: simulated('messages of the messaging channel'),
  local_charge: simulated('payments'),
  local_contact: simulated('contacts of the CRM'),
  local_mail: simulated('sent mails'),
  local_note: simulated('notes of the CRM'),
  local_order: simulated('orders of numbers'),
  local_script: simulated('what callers say'),
  local_sender: simulated('senders as the messaging channel knows them'),
  local_sheet: simulated('spreadsheets'),
  local_sheet_change: simulated('changes of spreadsheets'),
  local_sms: simulated('SMS of the carrier'),
  local_template: simulated('templates as the messaging channel knows them'),
  local_trunk: simulated('SIP trunks of the voice infrastructure'),
}

/** Names of the tables that have a copy on every node. */
export const referenceTables: readonly string[] = Object.entries(platformTables).flatMap(([name, { place }]) =>
  place === 'reference' ? [name] : [],
)
