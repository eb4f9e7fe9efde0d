import type { Connection, Query } from './connection.ts'

/** Row of an account, in the spelling of the tables. */
export interface OfAccount {
  readonly account_id: number
}

/** Returns rows by their account, in the order in which the accounts appear. */
export function groupByAccount<R extends OfAccount>(rows: Iterable<R>): ReadonlyMap<number, R[]> {
  const groups = new Map<number, R[]>()
  for (const row of rows) {
    const group = groups.get(row.account_id)
    if (group) group.push(row)
    else groups.set(row.account_id, [row])
  }
  return groups
}

/**
 * Changes rows of several accounts: in one transaction, on shards in one for each account, so that each changes one shard. Calls
 * `onWritten` with what `change` returned after each commit. If the transaction of an account fails, those of the others
 * are carried out all the same, and it rejects with the first error.
 */
export async function writeRows<R extends OfAccount, T>(
  connection: Connection,
  rows: readonly R[],
  change: (query: Query, rows: readonly R[]) => Promise<T>,
  onWritten: (value: T) => void = () => {},
): Promise<void> {
  if (rows.length === 0) return
  if (!connection.isSharded?.()) return onWritten(await connection.write('rows', (query) => change(query, rows)))
  const ended = await Promise.allSettled(
    [...groupByAccount(rows)].map(async ([account, own]) =>
      onWritten(await connection.write({ rows: account }, (query) => change(query, own))),
    ),
  )
  const failed = ended.find((it) => it.status === 'rejected')
  if (failed) throw failed.reason
}
