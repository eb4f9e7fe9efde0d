import type { ContactHours } from '../../../contract/resources/contacts.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { AccountQuery } from '../database/connection.ts'

/** Returns the hours of the account; undefined if it never had any. */
export async function findContactHours(query: AccountQuery): Promise<ContactHours | undefined> {
  const found = query.selectFrom('contact_hours').select('settings').where('account_id', '=', query.account)
  const row = await found.executeTakeFirst()
  return row && parseJson(row.settings)
}

/** Stores the hours of the account. */
export async function saveContactHours(query: AccountQuery, hours: ContactHours, now: number): Promise<void> {
  const row = { settings: stringifyJson(hours), updated_at: now }
  await query
    .insertInto('contact_hours')
    .values({ account_id: query.account, ...row })
    .onConflict((it) => it.column('account_id').doUpdateSet(row))
    .execute()
}
