import { type RawBuilder, SqliteAdapter, sql } from 'kysely'
import type { Query, Statement } from '../database/connection.ts'

/** Number of digits of a part in the index. A shorter search is compared with every number. */
const partLength = 3

/**
 * Index of all parts of three characters of a lead's number, with the account, so that a search for any part of a number
 * reads only the leads that have its parts. SQLite has the indexes of phone-blocks.ts.
 */
export const phonePartsSchema: readonly Statement[] = [
  {
    postgres: `create function phone_parts(account bigint, number text) returns text[] language plpgsql immutable parallel safe as $$
      declare parts text[] := '{}';
      begin
        for n in 1 .. length(number) - ${partLength - 1} loop
          parts := parts || (account || ' ' || substr(number, n, ${partLength}));
        end loop;
        return parts;
      end $$`,
  },
  {
    postgres:
      'create index lead_phone_parts on lead using gin (phone_parts(account_id, phone_number)) with (gin_pending_list_limit = 256)',
  },
]

/** Returns the condition that a lead `r` has all parts of a number; undefined if the index does not help. */
export function hasPhoneParts(query: Query, account: number, digits: string): RawBuilder<boolean> | undefined {
  if (digits.length < partLength || query.getExecutor().adapter instanceof SqliteAdapter) return undefined
  const parts = new Set(
    Array.from({ length: digits.length - partLength + 1 }, (_, n) => `${account} ${digits.slice(n, n + partLength)}`),
  )
  return sql<boolean>`phone_parts(r.account_id, r.phone_number) @> ${sql.val([...parts])}::text[]`
}
