import type { Tables } from './tables.ts'

/** Tables whose rows all belong to an account. A table with an account that is left out does not compile. */
type AccountTable =
  | 'account'
  | {
      [T in keyof Tables]: Tables[T] extends { account_id: infer A } ? (null extends A ? never : T) : never
    }[keyof Tables]

/** The column with the account of each table of accounts. */
const accountColumns: Readonly<Record<AccountTable | 'account_commit', 'id' | 'account_id'>> = {
  account: 'id',
  // The markers of commits on shards. Only PostgreSQL has it.
  account_commit: 'account_id',
  api_key: 'account_id',
  approval: 'account_id',
  assistant: 'account_id',
  assistant_label: 'account_id',
  assistant_tool: 'account_id',
  automation: 'account_id',
  automation_act: 'account_id',
  automation_connection: 'account_id',
  automation_run: 'account_id',
  automation_step: 'account_id',
  automation_value: 'account_id',
  automation_version: 'account_id',
  automation_wait: 'account_id',
  automation_webhook: 'account_id',
  campaign: 'account_id',
  campaign_number: 'account_id',
  channel_message: 'account_id',
  conversation: 'account_id',
  conversation_count: 'account_id',
  delivery: 'account_id',
  delivery_attempt: 'account_id',
  due: 'account_id',
  event_slot: 'account_id',
  folder: 'account_id',
  idempotency: 'account_id',
  key_spending: 'account_id',
  knowledge_base: 'account_id',
  knowledge_document: 'account_id',
  knowledge_passage: 'account_id',
  label: 'account_id',
  lead: 'account_id',
  lead_contact: 'account_id',
  lead_count: 'account_id',
  ledger: 'account_id',
  message: 'account_id',
  message_template: 'account_id',
  outbox: 'account_id',
  phone_call: 'account_id',
  phone_number: 'account_id',
  provisioned_trunk: 'account_id',
  purchase: 'account_id',
  request_limit: 'account_id',
  request_log: 'account_id',
  sender: 'account_id',
  sip_trunk: 'account_id',
  sms_message: 'account_id',
  subscription: 'account_id',
  tool: 'account_id',
  webhook_secret: 'account_id',
}

/** Names of the tables of accounts. */
export const accountTables: readonly string[] = Object.keys(accountColumns)

/** Returns the column of a table that names the account; undefined if its rows have no account. */
export const accountColumn = (table: string | undefined): 'id' | 'account_id' | undefined =>
  table !== undefined && Object.hasOwn(accountColumns, table) ? accountColumns[table as AccountTable] : undefined

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
