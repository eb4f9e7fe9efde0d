import { type RawBuilder, sql } from 'kysely'
import { stringifyJson } from '../../../node/json.ts'
import { isSqlite } from '../database/account-query.ts'
import type { AccountQuery, Statement } from '../database/connection.ts'

/** Number of characters of a block. A shorter part is compared with every number. */
const blockLength = 4
/** Where the indexed blocks of a number start, in characters before its end. */
const blockStarts = [4, 8, 12] as const
/** Above this length, a number may have further complete blocks. Such numbers are rare, and have an index of their own. */
const maxBlockedLength = 14
/** With more matches, the newest leads are found sooner by comparing their numbers. */
const maxMatches = 10_000

const blockSql = (start: number): string => `substr(phone_number, -${start}, ${blockLength})`

/**
 * Indexes of the last three blocks of four characters of a lead's number. Any part of seven characters has a complete
 * block. A shorter one has three characters of a block, or two before and two after a boundary. PostgreSQL has its own
 * index. Migration 0012 runs it, so it never changes; searches need its expressions word for word, or no index helps.
 */
export const phoneBlocksSchema: readonly Statement[] = [
  ...blockStarts.map((start) => ({
    sqlite: `create index lead_phone_block_${start} on lead (account_id, ${blockSql(start)}, phone_number, campaign_id)`,
  })),
  {
    sqlite: `create index lead_phone_long on lead (account_id, phone_number) where length(phone_number) > ${maxBlockedLength}`,
  },
]

/** Search for a part of a number: digits without a plus sign. */
export interface PhoneSearch {
  readonly account: number
  readonly campaign: number | undefined
  readonly digits: string
}

/** Blocks that a number has in some position if it has a part: their whole text, or how they begin. */
interface Blocks {
  readonly whole: ReadonlySet<string>
  readonly starts: ReadonlySet<string>
}

/** Returns the blocks of a part for each of the four distances of its first boundary. */
function blocksOf(part: string): Blocks {
  const whole = new Set<string>()
  const starts = new Set<string>()
  for (let boundary = 0; boundary < blockLength; boundary++) {
    const rest = part.slice(boundary, boundary + blockLength)
    if (rest.length === blockLength) whole.add(rest)
    // Three known characters at the end of the block before the boundary are rarer than one or two after it.
    else if (boundary === 3) for (const first of ['', '+', ...'0123456789']) whole.add(first + part.slice(0, boundary))
    else starts.add(rest)
  }
  return { whole, starts }
}

/** Returns the statement that finds the ids of leads with a part of a number, some of them several times. */
export function phoneBlockQuery({ account, campaign, digits }: PhoneSearch): RawBuilder<{ readonly id: number }> {
  const { whole, starts } = blocksOf(digits)
  // The added 0 keeps SQLite from using an index of campaigns.
  const inCampaign = campaign === undefined ? sql`` : sql` and campaign_id + 0 = ${campaign}`
  const matching = (condition: RawBuilder<unknown>, index = sql``): RawBuilder<unknown> =>
    sql`select id from lead ${index} where account_id = ${account} and ${condition} and phone_number like ${`%${digits}%`}${inCampaign}`
  const searches = blockStarts.flatMap((start) => {
    const block = sql.raw(blockSql(start))
    return [
      matching(sql`${block} in (${sql.join([...whole])})`),
      ...Array.from(starts, (it) => matching(sql`${block} >= ${it} and ${block} < ${`${it}:`}`)),
    ]
  })
  // Without statistics, SQLite would choose an index of all numbers.
  const long = matching(sql`length(phone_number) > ${sql.lit(maxBlockedLength)}`, sql`indexed by lead_phone_long`)
  return sql`${sql.join([...searches, long], sql` union all `)} limit ${maxMatches + 1}`
}

/**
 * Returns the condition that a lead `r` has a part of a number, by the ids of all such leads. Undefined on PostgreSQL, for
 * short parts and for more than ten thousand matches: then the index does not help.
 */
export async function findByPhoneBlocks(
  query: AccountQuery,
  search: PhoneSearch,
): Promise<RawBuilder<boolean> | undefined> {
  if (search.digits.length < blockLength || !isSqlite(query)) return undefined
  const { rows } = await phoneBlockQuery(search).execute(query)
  if (rows.length > maxMatches) return undefined
  return sql<boolean>`r.id in (select value from json_each(${stringifyJson(rows.map((it) => it.id))}))`
}

/** Number of digits of a part in the index. A shorter search is compared with every number. */
const partLength = 3

/**
 * Index of all parts of three characters of a lead's number, with the account, so that a search for any part of a number
 * reads only the leads that have its parts. SQLite has the indexes of `phoneBlocksSchema`. Migration 0011 runs it, so it
 * never changes.
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
export function hasPhoneParts(query: AccountQuery, digits: string): RawBuilder<boolean> | undefined {
  if (digits.length < partLength || isSqlite(query)) return undefined
  const parts = new Set(
    Array.from(
      { length: digits.length - partLength + 1 },
      (_, n) => `${query.account} ${digits.slice(n, n + partLength)}`,
    ),
  )
  return sql<boolean>`phone_parts(r.account_id, r.phone_number) @> ${sql.val([...parts])}::text[]`
}
