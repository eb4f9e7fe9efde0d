import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { sql } from '../../../src/store/database/sql.ts'
import { databases, opened } from '../../support/databases.ts'
import { operator } from '../../support/operator.ts'

// SQLite takes at most 32 766 parameters in a statement, and PostgreSQL 65 535.

describe.each(databases)('a list of 70 000 values on $name', ({ fresh }) => {
  const numbers = Array.from({ length: 70_000 }, (_, n) => n + 1)

  it('finds the same rows as a short one, by number and by text', async () => {
    const { read, write } = await fresh()
    const keys = numbers.map((n) => `key "${n}', {${n}}, ü`)
    await write('everything', async (query) => {
      for (const key of [keys[0], keys[69_999], 'other'])
        await query
          .insertInto('meta')
          .values({ key: String(key), value: 'found' })
          .execute()
      for (const n of [1, 2]) await query.insertInto('account').values(accountOf(n)).execute()
    })
    const texts = read.selectFrom('meta').select('key')
    const found = await texts.where('key', 'in', keys).execute()
    expect(found.map((it) => it.key).sort()).toEqual([keys[0], keys[69_999]].sort())
    expect((await texts.where('key', 'not in', keys).execute()).map((it) => it.key)).toContain('other')
    const accounts = read.selectFrom('account').select('id').orderBy('id')
    expect(await accounts.where('id', 'in', numbers).execute()).toEqual(await accounts.execute())
    expect(await accounts.where('id', 'in', numbers.slice(1)).execute()).toHaveLength(
      (await accounts.execute()).length - 1,
    )
  })

  it('changes and deletes rows', async () => {
    const { write, read } = await fresh()
    await write('everything', async (query) => {
      for (const n of [1, 2]) await query.insertInto('account').values(accountOf(n)).execute()
      await query.updateTable('account').set({ name: 'changed' }).where('id', 'in', numbers).execute()
      await query.deleteFrom('account').where('id', 'in', numbers.slice(1)).execute()
    })
    expect(await read.selectFrom('account').select(['id', 'name']).execute()).toEqual([{ id: 1, name: 'changed' }])
  })
})

const accountOf = (id: number) =>
  ({
    id,
    name: 'Northwind',
    email: 'a@b.c',
    kind: 'tenant',
    balance: 0,
    minute_rate: 0,
    payment_method: null,
    created_at: 0,
  }) as const

test('an account with 33 000 numbers and knowledge bases is listed, summarised and checked', async () => {
  const by = operator({ fresh: true, reopens: true })
  await by.run('numbers list')
  const { write, close } = await opened({ file: join(by.dataDir, 'platform.db') })
  await write('everything', async (query) => {
    const [number] = await query.selectFrom('phone_number').selectAll().where('type', '!=', 'sip').limit(1).execute()
    const [subscription] = await query.selectFrom('subscription').selectAll().limit(1).execute()
    const [base] = await query.selectFrom('knowledge_base').selectAll().limit(1).execute()
    if (!number || !subscription || !base) throw new Error('The sample data has changed.')
    const times = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 33000)`
    for (const [table, row, own] of [
      ['phone_number', number, { id: 'i + 1000', phone_number: "'+1415' || (1000000 + i)" }],
      ['subscription', subscription, { id: 'i + 1000', number_id: 'i + 1000' }],
      ['knowledge_base', base, { id: 'i + 1000' }],
    ] as const) {
      const columns = Object.keys(row)
      const values = columns.map((it) => sql.raw(String(it in own ? own[it as keyof typeof own] : it)))
      await sql`insert into ${sql.table(table)} (${sql.join(columns.map((it) => sql.ref(it)))})
        ${times} select ${sql.join(values)} from ${sql.table(table)}, n where id = ${row.id}`.execute(query)
    }
  })
  await close()
  for (const line of ['numbers list -o id', 'knowledge list -o id', 'billing summary --json']) {
    const { exitCode, stderr, stdout } = await by.run(line)
    expect([line, exitCode, stderr]).toEqual([line, 0, expect.not.stringContaining('SQL')])
    if (line.includes('-o id'))
      expect(stdout.trim().split('\n').length).toBeGreaterThan(line.startsWith('numbers') ? 33_000 : 0)
  }
})
