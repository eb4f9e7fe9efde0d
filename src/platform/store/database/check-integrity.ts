import { sql } from 'kysely'
import { countedLists, countWrongCounters, rebuildCounters } from '../counters/counted-lists.ts'
import { countWrongNames, rebuildNames } from './account-names.ts'
import type { Connection, PlatformQuery, Query } from './connection.ts'
import { StoreError } from './store-error.ts'

/**
 * List with counters, and how many of them differ from its rows; null if they cannot be read. The platform answers it in this form
 * (handlers/platform.ts), with the name of the table as `list`.
 */
interface CounterCheck {
  readonly list: string
  readonly wrong: number | null
}

/** Compares the counters of every list with its rows. */
export async function checkCounters(query: Query): Promise<CounterCheck[]> {
  const found: CounterCheck[] = []
  for (const list of countedLists)
    found.push({ list: list.table, wrong: await countWrongCounters(query, list).catch(nullIfUnreadable) })
  return found
}

/** Account whose balance is not the sum of its movements, in millionths. */
interface BalanceDifference {
  readonly account: number
  readonly balance: number
  readonly ledger: number
}

/** Compares the balance of every account with its ledger. Payments by payment method do not change a balance. */
export async function checkBalances(
  query: Query,
): Promise<{ readonly accounts: number; readonly wrong: readonly BalanceDifference[] }> {
  const { rows } = await sql<{ account: number; balance: number; ledger: number }>`
    select a.id as account, a.balance as balance, coalesce(sum(l.amount), 0) as ledger
    from account a left join ledger l on l.account_id = a.id and l.unit <> 'usd'
    group by a.id, a.balance order by a.id`.execute(query)
  const all = rows.map((it) => ({ account: it.account, balance: Number(it.balance), ledger: Number(it.ledger) }))
  return { accounts: all.length, wrong: all.filter((it) => it.balance !== it.ledger) }
}

function nullIfUnreadable(error: unknown): null {
  if (error instanceof StoreError) return null
  throw error
}

/** Compares the names that are unique over all accounts with their rows. */
export const checkNames = async (query: PlatformQuery): Promise<CounterCheck> => ({
  list: 'account_name',
  wrong: await countWrongNames(query).catch(nullIfUnreadable),
})

/** Rebuilds the counters of every list and the names, in the caller's transaction. Returns the errors that were found before. */
export async function rebuildChecked(query: PlatformQuery): Promise<CounterCheck[]> {
  const found = [...(await checkCounters(query)), await checkNames(query)]
  for (const list of countedLists) await rebuildCounters(query, list)
  await rebuildNames(query)
  return found
}

/**
 * Returns the problems inside the database, a phrase each; empty if there are none. PostgreSQL checks itself. Pages that
 * are too damaged to be checked are a problem too.
 */
export async function checkIntegrity(
  connection: Pick<Connection, 'dialect' | 'read' | 'requireInPlace'>,
): Promise<string[]> {
  try {
    connection.requireInPlace?.()
    if (connection.dialect === 'postgres') await sql`select 1`.execute(connection.read)
    else return await checkPages(connection.read)
    return []
  } catch (error) {
    if (error instanceof StoreError) return [error.message.replace(/\.$/, '')]
    throw error
  }
}

async function checkPages(read: Query): Promise<string[]> {
  const { rows: pages } = await sql<{ integrity_check: string }>`pragma integrity_check(20)`.execute(read)
  const { rows: orphans } = await sql<{
    table: string
    rowid: number | null
    parent: string
  }>`pragma foreign_key_check`.execute(read)
  return [
    ...pages.map((it) => it.integrity_check).filter((it) => it !== 'ok'),
    ...orphans.slice(0, 20).map((it) => `row ${it.rowid} of ${it.table} refers to a missing row of ${it.parent}`),
  ]
}
