import type { Tables } from './tables.ts'

/** Tables whose rows all belong to an account. A table with an account that is left out does not compile. */
export type AccountTable =
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
  blocked_contact: 'account_id',
  campaign: 'account_id',
  campaign_number: 'account_id',
  channel_message: 'account_id',
  contact_hours: 'account_id',
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
  opt_out_setting: 'account_id',
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
  waiting_contact: 'account_id',
  webhook_secret: 'account_id',
}

/** Names of the tables of accounts. */
export const accountTables: readonly string[] = Object.keys(accountColumns)

/** Returns the column of a table that names the account; undefined if its rows have no account. */
export const accountColumn = (table: string | undefined): 'id' | 'account_id' | undefined =>
  table !== undefined && Object.hasOwn(accountColumns, table) ? accountColumns[table as AccountTable] : undefined
