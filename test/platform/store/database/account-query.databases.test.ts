import { afterEach, describe, expect, it } from 'vitest'
import { insertTool, listTools, updateTool } from '../../../../src/platform/store/assistants/tools.ts'
import { accountQuery, acrossAccounts } from '../../../../src/platform/store/database/account-query.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import { insertJob } from '../../../../src/platform/store/runtime/scheduled-jobs.ts'
import { databases } from '../../../support/databases.ts'

const tool = (account_id: number, name: string) => ({
  account_id,
  name,
  description: '',
  endpoint: 'https://clinic.example',
  method: 'GET' as const,
  timeout: 10,
  headers: '[]',
  schema: '[]',
  type: 'http' as const,
  body_format: 'json',
  static_fields: '[]',
  created_at: 0,
  updated_at: 0,
})

describe.each(databases)('queries of an account on $name', (database) => {
  let store: Connection
  afterEach(() => store.close())

  /** Two accounts with a tool each. Returns the ids of the tools. */
  async function opened(): Promise<readonly [ours: number, theirs: number]> {
    store = await database.fresh()
    return store.write('everything', async (query) => {
      for (const name of ['ours', 'theirs'])
        await query
          .insertInto('account')
          .values({ name, email: '', kind: 'tenant', balance: 5, minute_rate: 0, payment_method: null, created_at: 0 })
          .execute()
      const ours = await insertTool(accountQuery(query, 1), tool(1, 'ours'))
      const theirs = await insertTool(accountQuery(query, 2), tool(2, 'theirs'))
      return [ours.id, theirs.id]
    })
  }
  const names = async () =>
    (await store.read.selectFrom('tool').select('name').orderBy('id').execute()).map((it) => it.name)

  it('are created once for each account on the connection, also after those of a thousand others', async () => {
    const [ours, theirs] = await opened()
    const query = accountQuery(store.read, 1)
    expect(accountQuery(store.read, 1)).toBe(query)
    for (let account = 2; account < 1500; account++) expect(accountQuery(store.read, account).account).toBe(account)
    const idsOf = async (account: number) =>
      (await accountQuery(store.read, account).selectFrom('tool').select('id').execute()).map((it) => it.id)
    expect([await idsOf(1), await idsOf(2)]).toEqual([[ours], [theirs]])
    await store.write({ account: 1 }, async (own) => expect(accountQuery(own, 1)).toBe(own))
  })

  it('read rows of the account only, also by the id of another row, in joins and in subqueries', async () => {
    const [ours, theirs] = await opened()
    const query = accountQuery(store.read, 1)
    expect(query.account).toBe(1)
    expect((await query.selectFrom('tool').select('id').execute()).map((it) => it.id)).toEqual([ours])
    expect(await query.selectFrom('tool as t').selectAll().where('t.id', '=', theirs).execute()).toEqual([])
    expect(await query.selectFrom('account').select('name').execute()).toEqual([{ name: 'ours' }])
    const pairs = query
      .selectFrom('account as a')
      .innerJoin('tool', (join) => join.onTrue())
      .select(['a.name', 'tool.name as tool'])
    expect(await pairs.execute()).toEqual([{ name: 'ours', tool: 'ours' }])
    const left = query
      .selectFrom('account as a')
      .leftJoin('tool', (join) => join.on('tool.id', '=', theirs))
      .select('tool.name')
    expect(await left.execute()).toEqual([{ name: null }])
    const inside = query
      .selectFrom('account')
      .select('id')
      .where('name', 'in', (select) => select.selectFrom('tool').select('name').where('id', '=', theirs))
    expect(await inside.execute()).toEqual([])
    const named = query
      .with('some', (all) => all.selectFrom('tool').select('name'))
      .selectFrom('some')
      .selectAll()
    expect(await named.execute()).toEqual([{ name: 'ours' }])
  })

  it('change and delete rows of the account only', async () => {
    const [ours, theirs] = await opened()
    await store.write({ account: 1 }, async (query) => {
      await query.updateTable('tool').set({ name: 'renamed' }).where('id', 'in', [ours, theirs]).execute()
      await query.deleteFrom('tool').where('id', '=', theirs).execute()
      await query.updateTable('account').set({ balance: 9 }).execute()
    })
    expect(await names()).toEqual(['renamed', 'theirs'])
    await store.write({ account: 1 }, (query) => query.deleteFrom('tool').execute())
    expect(await names()).toEqual(['theirs'])
    const balances = await store.read.selectFrom('account').select('balance').orderBy('id').execute()
    expect(balances).toEqual([{ balance: 9 }, { balance: 5 }])
  })

  it('add no row of another account', async () => {
    await opened()
    const added = store.write({ account: 1 }, (query) => insertTool(query, tool(2, 'smuggled')))
    await expect(added).rejects.toThrow('A row of account 2 was added with the queries of account 1.')
    expect(await names()).toEqual(['ours', 'theirs'])
    const job = { kind: 'test', subject: 'x', due_at: 1, attempts: 0, lease_until: 0 }
    await store.write({ account: 1 }, (query) => insertJob(query, { ...job, account_id: 1 }))
    const compiled = store.write({ account: 1 }, (query) => insertJob(query, { ...job, account_id: 2 }))
    await expect(compiled).rejects.toThrow('A row of account 2 was added with the queries of account 1.')
  })

  it('are the same when they are compiled, for each account and in transactions', async () => {
    const [, theirs] = await opened()
    const listed = async (account: number) => (await listTools(accountQuery(store.read, account))).map((it) => it.name)
    expect([await listed(1), await listed(2), await listed(3)]).toEqual([['ours'], ['theirs'], []])
    const seen = await store.write({ account: 1 }, async (query) => ({
      updated: await updateTool(query, theirs, { name: 'stolen' }),
      across: await acrossAccounts(query).selectFrom('tool').select('name').orderBy('id').execute(),
      other: await accountQuery(query, 2).selectFrom('tool').select('name').execute(),
    }))
    expect(seen).toEqual({
      updated: undefined,
      across: [{ name: 'ours' }, { name: 'theirs' }],
      other: [{ name: 'theirs' }],
    })
  })
})
