import { sql } from 'kysely'
import { deletePlanLimits, planKeyPrefix } from '../billing/subscriptions.ts'
import { releaseNames } from './account-names.ts'
import type { Dialect, Query } from './connection.ts'
import { seedKey, simulatedKey } from './meta.ts'
import type { Tables } from './tables.ts'

/**
 * Every table with rows that users created, children before parents. A new table has to be added, or a reset leaves its rows; generate/sample-rows.ts
 * writes them in the opposite order.
 */
export const erasableTables = [
  'delivery_attempt',
  'delivery',
  'webhook_secret',
  'automation_wait',
  'automation_step',
  'automation_run',
  'automation_act',
  'automation_value',
  'automation_connection',
  'automation_webhook',
  'automation_version',
  'automation',
  'blocked_contact',
  'opt_out_setting',
  'contact_hours',
  'waiting_contact',
  'phone_call',
  'sms_message',
  'lead_contact',
  'lead',
  'lead_count',
  'campaign_number',
  'campaign',
  'channel_message',
  'message',
  'conversation',
  'conversation_count',
  'message_template',
  'sender',
  'event_slot',
  'assistant_tool',
  'assistant_label',
  'assistant',
  'knowledge_passage',
  'knowledge_document',
  'knowledge_base',
  'label',
  'folder',
  'sip_trunk',
  'provisioned_trunk',
  'local_channel_send',
  'local_script',
  'local_sender',
  'local_template',
  'local_call',
  'local_sms',
  'local_trunk',
  'local_act',
  'local_mail',
  'local_sheet',
  'local_sheet_change',
  'local_booking',
  'local_contact',
  'local_note',
  'subscription',
  'phone_number',
  'purchase',
  'tool',
  'approval',
  'account_name',
  'api_key',
  'key_spending',
  'ledger',
  'outbox',
  'due',
  'idempotency',
  'request_limit',
  'request_log',
  'local_order',
  'local_charge',
  'fault',
  'account',
] as const satisfies readonly (keyof Tables)[]

/** Returns whether a table belongs to the simulators, whose rows have no account. */
const isSimulatorTable = (table: string): boolean => table.startsWith('local_')

/** Erases an account with all its data, in the caller's transaction. Its purchased numbers are for sale again. */
export async function eraseAccount(query: Query, dialect: Dialect, id: number): Promise<void> {
  const bought = query.selectFrom('phone_number').select('phone_number').where('account_id', '=', id)
  await query.deleteFrom('local_order').where('phone_number', 'in', bought).execute()
  await deletePlanLimits(query, id)
  for (const table of erasableTables) {
    if (table === 'account' || table === 'account_name' || isSimulatorTable(table)) continue
    await sql`delete from ${sql.table(table)} where account_id = ${id}`.execute(query)
  }
  if (dialect === 'postgres') await sql`delete from account_commit where account_id = ${id}`.execute(query)
  // Simulator data that is stored under the id of the account.
  const contacts = query.selectFrom('local_contact').select('id').where('owner', '=', id)
  await query.deleteFrom('local_note').where('contact', 'in', contacts).execute()
  for (const table of ['local_contact', 'local_booking', 'local_mail'] as const)
    await query.deleteFrom(table).where('owner', '=', id).execute()
  const sheets = `spreadsheets/${id}/%`
  await query.deleteFrom('local_sheet_change').where('file', 'like', sheets).execute()
  await query.deleteFrom('local_sheet').where('file', 'like', sheets).execute()
  await releaseNames(query, id)
  await query.deleteFrom('account').where('id', '=', id).execute()
}

/** Statements that erase what is not in tables of users: the clock, and values about the whole database. */
const eraseSettings = [
  'delete from clock',
  `delete from meta where key in ('${seedKey}', '${simulatedKey}')`,
  `delete from meta where key like '${planKeyPrefix}%'`,
]

/** Erases everything except the schema, in the caller's transaction; ids start at 1 again, and the clock runs. */
export async function eraseDatabase(query: Query, dialect: Dialect): Promise<void> {
  if (dialect === 'postgres')
    await sql`truncate table ${sql.join(erasableTables.map((it) => sql.table(it)))} restart identity cascade`.execute(
      query,
    )
  else {
    for (const table of erasableTables) await sql.raw(`delete from "${table}"`).execute(query)
    await sql`delete from sqlite_sequence`.execute(query)
  }
  for (const statement of eraseSettings) await sql.raw(statement).execute(query)
}
