import type { OptOutSettings } from '../../../contract/values/opt-out-words.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { AccountQuery } from '../database/connection.ts'

/** Returns what the account has changed of the words to opt out; undefined for nothing. */
export async function findOptOutSettings(query: AccountQuery): Promise<OptOutSettings | undefined> {
  const found = query.selectFrom('opt_out_setting').select('settings').where('account_id', '=', query.account)
  const row = await found.executeTakeFirst()
  return row && parseJson(row.settings)
}

/** Stores what the account changes of the words to opt out. */
export async function saveOptOutSettings(query: AccountQuery, settings: OptOutSettings, now: number): Promise<void> {
  const row = { settings: stringifyJson(settings), updated_at: now }
  await query
    .insertInto('opt_out_setting')
    .values({ account_id: query.account, ...row })
    .onConflict((it) => it.column('account_id').doUpdateSet(row))
    .execute()
}
