import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it, test } from 'vitest'
import { copySteps, listSteps } from '../../../../src/platform/store/automations/run-steps.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import { insertPassages, listLeadingPassages } from '../../../../src/platform/store/knowledge/documents.ts'
import { listDueJobs } from '../../../../src/platform/store/runtime/due-jobs.ts'
import { insertJob } from '../../../../src/platform/store/runtime/scheduled-jobs.ts'
import { databases, onOnePostgres, opened } from '../../../support/databases.ts'
import { operator } from '../../../support/operator.ts'

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

describe.each(databases)('a statement that inserts more values than parameters are allowed, on $name', ({ fresh }) => {
  it('copies the steps of a run with 5 000 iterations', async () => {
    const { write, read } = await fresh()
    const texts = ['"a\'b\\\\"', 'ü 😀 \u2028', '', null, '{"n":9007199254740993}', 'line\n\ttab', '5', '{}', 'null']
    const steps = Array.from({ length: 5000 }, (_, n) => ({
      run: 1,
      path: `each[${n}]/step "1"`,
      ...{ account_id: 1, name: 'step', position: n, status: 'SUCCEEDED' as const, attempt: 1, failures: 0 },
      ...{ items: null, input: texts[n % 9] ?? null, output: texts[(n + 1) % 9] ?? null, shown: null, error: null },
      ...{
        classification: null,
        unresolved: null,
        log: null,
        started_at: 1,
        idle: 7,
        earlier_errors: `${n} 1 503\u001e`,
      },
      finished_at: n % 2 ? Number.MAX_SAFE_INTEGER : null,
    }))
    await write('everything', async (query) => {
      await query.insertInto('account').values(accountOf(1)).execute()
      await copySteps(accountQuery(query, 1), 2, steps, 9_007_199_254_740_991)
    })
    const copied = await listSteps(accountQuery(read, 1), 2)
    expect(copied).toHaveLength(5000)
    const known = new Map(copied.map((row) => [row.path, row]))
    const reset = {
      run: 2,
      attempt: 0,
      idle: 0,
      earlier_errors: null,
      started_at: 9_007_199_254_740_991,
      finished_at: 9_007_199_254_740_991,
    }
    for (const step of steps) expect(known.get(step.path)).toEqual({ ...step, ...reset })
  })

  it('stores a document of 12 000 passages, with ids in their order', async () => {
    const { write, read } = await fresh()
    const passages = Array.from({ length: 12_000 }, (_, position) => ({
      ...{ account_id: 1, knowledge_base_id: 1, document_id: 1, position, address: 'https://example.com' },
      ...{
        title: position % 2 ? null : 'Title',
        text: `Passage "${position}"\u{1f600}`,
        folded: `passage ${position}`,
      },
    }))
    await write('everything', async (query) => {
      await query.insertInto('account').values(accountOf(1)).execute()
      await insertPassages(accountQuery(query, 1), passages)
    })
    const rows = await listLeadingPassages(accountQuery(read, 1), 1, 12_000)
    const [first] = rows
    expect(rows).toEqual(passages.map((passage, n) => ({ id: Number(first?.id) + n, ...passage })))
  })

  it('sends once what all rows have in common, and stores it in each', async () => {
    const { write, read } = await fresh()
    const value = 'common '.repeat(200)
    const rows = Array.from({ length: 1000 }, (_, n) => ({ key: `key ${n}`, value }))
    const { parameters } = read.insertInto('meta').values(rows).compile()
    expect(parameters.join('').length).toBeLessThan(value.length * 20)
    await write('everything', (query) => query.insertInto('meta').values(rows).execute())
    const keys = read.selectFrom('meta').select('key').where('value', '=', value)
    expect((await keys.execute()).map((it) => it.key).sort()).toEqual(rows.map((it) => it.key).sort())
  })

  it('ignores rows that exist, when it is asked to', async () => {
    const { write, read } = await fresh()
    const rows = Array.from({ length: 40_000 }, (_, n) => ({ key: `key ${n}`, value: 'half \ud83d' }))
    await write('everything', async (query) => {
      await query.insertInto('meta').values({ key: 'key 39999', value: 'old' }).execute()
      const insert = query.insertInto('meta').values(rows)
      const inserted = await insert
        .onConflict((row) => row.column('key').doNothing())
        .returning('key')
        .execute()
      expect(inserted).toHaveLength(39_999)
    })
    const value = read.selectFrom('meta').select('value')
    expect(await value.where('key', '=', 'key 39999').execute()).toEqual([{ value: 'old' }])
    expect(await value.where('key', '=', 'key 39998').execute()).toEqual([{ value: 'half \ufffd' }])
  })

  onOnePostgres('due jobs are found in another way there')(
    'lists due jobs without those of 70 000 accounts',
    async () => {
      const { write, read } = await fresh()
      await write('everything', async (query) => {
        for (const account_id of [1, 69_999, 70_001]) {
          await query.insertInto('account').values(accountOf(account_id)).execute()
          await insertJob(accountQuery(query, account_id), {
            account_id,
            kind: 'test',
            subject: 'x',
            due_at: 1,
            attempts: 0,
            lease_until: 0,
          })
        }
      })
      const many = Array.from({ length: 70_000 }, (_, n) => n + 1)
      const request = { until: 10, limit: 10, own: { owner: 'this:1:x', wall: 0 } }
      const accounts = async (excludedAccounts: readonly number[]): Promise<number[]> =>
        (await listDueJobs(read, { ...request, excludedAccounts })).map((row) => row.account_id)
      expect(await accounts(many)).toEqual([70_001])
      expect(await accounts([1])).toEqual([69_999, 70_001])
    },
  )
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
  const ids = Array.from({ length: 20_000 }, (_, n) => 25_000 - n)
  const [campaign] = await by.json<{ id: number; channel: string; status: string }[]>('campaigns list')
  const input = JSON.stringify({ phone_number_ids: ids })
  const { exitCode, stderr } = await by.run(`campaigns update ${campaign?.id} -f - --yes`, { stdin: input })
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('SQL')])
  expect((await by.json<{ phone_number_ids: number[] }>(`campaigns get ${campaign?.id}`)).phone_number_ids).toEqual(ids)
})
