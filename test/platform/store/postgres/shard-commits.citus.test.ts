import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Connection, PlatformQuery } from '../../../../src/platform/store/database/connection.ts'
import { writeMeta } from '../../../../src/platform/store/database/meta.ts'
import { opened, sharded } from '../../../support/databases.ts'
import { requireNothingRefused } from '../../../support/servers/citus-watch.ts'
import { order } from '../../../support/servers/postgres-server.ts'
import { isUseAcrossAccounts } from '../../../support/servers/uses-across-accounts.ts'

const addAccount = (query: PlatformQuery, name: string): Promise<unknown> =>
  query
    .insertInto('account')
    .values({ name, email: '', kind: 'tenant', balance: 0, minute_rate: 0, payment_method: null, created_at: 0 })
    .execute()

async function withAccounts(): Promise<{ readonly store: Connection; readonly url: string }> {
  const target = await sharded.target()
  const store = await opened(target)
  await store.write('everything', async (query) => {
    for (const name of ['a', 'b']) await addAccount(query, name)
  })
  return { store, url: (target as { readonly url: string }).url }
}

/** Makes a node of a database one that refuses connections, as if it were stopped. */
const disconnectNodes = (url: string): Promise<unknown> =>
  order(url, 'update pg_dist_node set nodeport = groupid where groupid <> 0')

const addOne = (store: Connection, account: number): Promise<void> =>
  store.write({ account }, async (query) => {
    await query
      .updateTable('account')
      .set((row) => ({ balance: row('balance', '+', 1) }))
      .execute()
  })

const markers = async (store: Connection): Promise<readonly (readonly [number, number])[]> => {
  const { rows } = await sql<{ account: number; n: number }>`
    select account_id as account, count(*) as n from account_commit group by 1 order by 1`.execute(store.read)
  return rows.map((it) => [it.account, it.n])
}

// Citus is needed: the project `citus`.
describe.runIf(process.env.PARLEY_TEST_CITUS)('commits of transactions on shards', () => {
  test('have their marker on the shard of the account', async () => {
    const { store } = await withAccounts()
    for (const account of [1, 2, 2]) await addOne(store, account)
    expect(await markers(store)).toEqual([
      [1, 1],
      [2, 2],
    ])
    const shards = await sql`select from pg_dist_partition a join pg_dist_partition b on b.colocationid = a.colocationid
      where a.logicalrelid = 'account'::regclass and b.logicalrelid = 'account_commit'::regclass`.execute(store.read)
    expect(shards.rows).toHaveLength(1)
  })

  test('are one with their marker on the coordinator when they change an account and something else', async () => {
    const { store } = await withAccounts()
    await store.write({ name: 'new accounts' }, (query) => addAccount(query, 'c'))
    await store.write('everything', async (query) => {
      await query.updateTable('account').set({ balance: 5 }).where('id', '=', 1).execute()
      await writeMeta(query, 'beside', 'an account')
    })
    expect(await markers(store)).toEqual([])
    expect(requireNothingRefused).not.toThrow()
  })

  test('are refused by these tests when Citus would make two parts of them', async () => {
    const { store } = await withAccounts()
    await store.write({ account: 1 }, async (query) => {
      await query.updateTable('account').set({ balance: 5 }).execute()
      await writeMeta(query, 'beside', 'an account')
    })
    expect(requireNothingRefused).toThrow(
      'committed in two parts: meta on the coordinator, account, account_commit on a shard',
    )
    await store.write({ account: 1 }, (query) => writeMeta(query, 'without', 'an account'))
    expect(requireNothingRefused).toThrow('meta on the coordinator, account_commit on a shard')
  })

  test('need no node when they change only what lies on the coordinator', async () => {
    const { store, url } = await withAccounts()
    await disconnectNodes(url)
    for (const scope of ['everything', 'rows', { name: 'something' }] as const)
      await store.write(scope, (query) => writeMeta(query, 'written', 'without nodes'))
    await expect(addOne(store, 1)).rejects.toThrow()
  })

  test('are refused by these tests when a statement of one account could reach several shards', () => {
    const found = [
      'select * from "due" where "due_at" <= $1',
      'select * from "due" where "id" = $1 and "account_id" = $2',
    ]
    expect(found.map(isUseAcrossAccounts)).toEqual([true, false])
    expect(isUseAcrossAccounts('select * from "lead" where "id" = $1')).toBe(false)
  })
})
