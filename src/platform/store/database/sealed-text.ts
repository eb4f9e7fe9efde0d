import { sql } from 'kysely'
import type { Query } from './connection.ts'

/**
 * Tables and columns with texts that the vault has sealed. A start and a copy find by them whether a database needs its
 * encryption key, so a new column with sealed texts belongs here.
 */
const sealedColumns = [
  ['sip_trunk', 'sip_password'],
  ['webhook_secret', 'secret'],
  ['automation_connection', 'secret'],
  ['sender', 'webhook_secret'],
  ['automation_version', 'definition'],
  ['tool', 'endpoint'],
  ['tool', 'headers'],
  ['tool', 'static_fields'],
  ['idempotency', 'body'],
] as const

/**
 * Returns a text of any account that the vault has sealed; undefined if there is none. `read` runs a statement, which both
 * databases understand.
 */
export async function findSealedText(
  read: (statement: string) => Promise<readonly { readonly text?: unknown }[]>,
): Promise<string | undefined> {
  for (const [table, column] of sealedColumns) {
    const [row] = await read(`select ${column} as text from ${table} where ${column} like 'v1.%' limit 1`)
    if (row) return String(row.text)
  }
  // Only the keys of calendars are sealed in the settings of an assistant.
  const [row] = await read(`select settings as text from assistant where settings like '%_api_key":"v1.%' limit 1`)
  return /"cal_[ab]_api_key":"(v1\.[^"]+)"/.exec(String(row?.text))?.[1]
}

/** Returns the same of an open database. */
export const findSealedTextIn = (query: Query): Promise<string | undefined> =>
  findSealedText(async (statement) => (await sql.raw<{ text: unknown }>(statement).execute(query)).rows)
