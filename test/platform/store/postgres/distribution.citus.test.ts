import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { accountTables } from '../../../../src/platform/store/database/account-tables.ts'
import type { Database } from '../../../../src/platform/store/database/connection.ts'
import { migrate } from '../../../../src/platform/store/database/migrate.ts'
import { referenceTables } from '../../../../src/platform/store/database/platform-tables.ts'
import { distribute } from '../../../../src/platform/store/postgres/distribution.ts'
import { openPostgres } from '../../../../src/platform/store/postgres/open-postgres.ts'
import { readDistribution } from '../../../../src/platform/store/postgres/read-distribution.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { undistributedUrl } from '../../../support/databases.ts'

/** A database of Citus with the schema, whose tables all lie on the coordinator. */
async function local(): Promise<{ readonly url: string; readonly database: Database }> {
  const url = await undistributedUrl()
  const database = await openPostgres(url)
  afterFile(() => database.close())
  await migrate(database)
  return { url, database }
}

const addAccounts = (database: Database, count: number): Promise<void> =>
  database.write('everything', async (query) => {
    await sql`insert into account (name, email, kind, balance, minute_rate, created_at)
      select 'Account ' || n, '', 'tenant', n, 0, 0 from generate_series(1, ${count}::int) n`.execute(query)
    await sql`insert into api_key (account_id, name, hash, created_at) select id, 'key', 'hash ' || id, 0 from account`.execute(
      query,
    )
    await sql`insert into campaign (account_id, name, channel, status, settings, created_at, updated_at)
      select id, 'c', 'call', 'draft', '{}', 0, 0 from account`.execute(query)
    await sql`insert into lead (account_id, campaign_id, phone_number, variables, status, contacts, attempts, created_at, updated_at)
      select account_id, id, '+1500555' || id, '{}', 'created', 0, 0, 0, 0 from campaign`.execute(query)
  })

// Citus is needed: the project `citus`.
describe.runIf(process.env.PARLEY_TEST_CITUS)('the distribution of tables over nodes', () => {
  test('keeps every row, spreads all tables of accounts, and has nothing to do a second time', async () => {
    const { url, database } = await local()
    await addAccounts(database, 20)
    const { rows } = await distribute(database, { shards: 4, onStep: () => {} })
    expect([rows.account, rows.api_key, rows.lead, rows.tool]).toEqual([20, 20, 20, 0])
    const { isDistributed, tables } = await readDistribution(database.read)
    expect(isDistributed).toBe(true)
    const named = (kind: string) => tables.filter((it) => it.kind === kind).map((it) => it.table)
    expect(named('distributed')).toEqual([...accountTables].sort())
    expect(named('reference')).toEqual([...referenceTables].sort())
    // The keys were inserted without names, as servers of earlier versions do.
    const names = await database.read
      .selectFrom('account_name')
      .select('account')
      .where('kind', '=', 'api_key')
      .execute()
    expect(names).toHaveLength(20)
    const steps: string[] = []
    await distribute(database, { shards: 4, onStep: (text) => steps.push(text) })
    expect(steps).toEqual([])
    const again = await openPostgres(url)
    afterFile(() => again.close())
    expect(await again.read.selectFrom('account').select('name').where('id', '=', 7).execute()).toEqual([
      { name: 'Account 7' },
    ])
    expect(again.isSharded?.()).toBe(true)
  })

  test('continues where it was interrupted, whatever the step', async () => {
    const { database } = await local()
    await addAccounts(database, 5)
    class Killed extends Error {}
    // Every step is the last one of a run once.
    for (let isDone = false; !isDone; ) {
      let steps = 0
      isDone = await distribute(database, {
        shards: 2,
        onStep: () => {
          if (steps++ === 9) throw new Killed()
        },
      }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Killed) return false
          throw error
        },
      )
    }
    expect((await readDistribution(database.read)).tables.filter((it) => it.kind === 'distributed')).toHaveLength(
      accountTables.length,
    )
    // Each trigger is a step of its own.
    const { rows } = await sql<{ name: string }>`
      select tgname as name from pg_trigger where not tgisinternal and tgrelid = 'lead'::regclass order by 1`.execute(
      database.read,
    )
    expect(rows.map((it) => it.name)).toEqual(['lead_counted_change', 'lead_counted_row'])
  })

  test('names the step that the database refuses, and a setting that its user may not store', async () => {
    const { database } = await local()
    await addAccounts(database, 3)
    /** Refuses statements as PostgreSQL does. */
    const refusing = (part: string, code: string): Database => ({
      ...database,
      withSession: (body) =>
        (database.withSession as NonNullable<Database['withSession']>)((run) =>
          body(async (...statements) => {
            if (statements.some((it) => it.includes(part)))
              throw Object.assign(new Error('permission denied'), { code })
            await run(...statements)
          }),
        ),
    })
    const options = { shards: 2, onStep: () => {} }
    await expect(distribute(refusing("distributed_table('tool'", '42501'), options)).rejects.toThrow(
      /refused the step "rows of tool": permission denied\. The statement was: select create_distributed_table\('tool'.*it continues here/,
    )
    const { read } = database
    expect(await readDistribution(read)).toMatchObject({ isDistributed: true, stored: { is_complete: false } })
    const done = await distribute(refusing('citus.node_connection_timeout', '42501'), options)
    expect(done.refusedSettings).toEqual([
      expect.stringMatching(/^alter database parley_test_\w+ set citus\.node_connection_timeout = 5000$/),
    ])
    expect(done.rows).toMatchObject({ account: 3, tool: 0, lead: 3 })
    // The other setting holds for new sessions, also for those of a pooler.
    const { rows } = await sql<{ settings: string[] }>`select setconfig as settings from pg_db_role_setting s
      join pg_database d on d.oid = s.setdatabase where datname = current_database()`.execute(read)
    expect(rows).toEqual([{ settings: ['citus.max_adaptive_executor_pool_size=4'] }])
  })

  test('adds the trigger that a process was about to create when it was killed', async () => {
    const { database } = await local()
    await distribute(database, { shards: 2, onStep: () => {} })
    await database.runExclusively(async (query) => {
      await sql`set local citus.enable_unsafe_triggers = on`.execute(query)
      await sql`drop trigger lead_counted_change on lead`.execute(query)
    })
    const steps: string[] = []
    await distribute(database, { shards: 2, onStep: (text) => steps.push(text) })
    expect(new Set(steps)).toEqual(new Set(['counters of lead']))
    const { rows } = await sql<{ name: string }>`
      select tgname as name from pg_trigger where not tgisinternal and tgrelid = 'lead'::regclass order by 1`.execute(
      database.read,
    )
    expect(rows.map((it) => it.name)).toEqual(['lead_counted_change', 'lead_counted_row'])
  })

  test('keeps foreign keys within an account, and counts rows on their shards', async () => {
    const { database } = await local()
    await addAccounts(database, 3)
    await distribute(database, { shards: 4, onStep: () => {} })
    const lead = (account: number, campaign: number) =>
      database.write({ rows: account }, (query) =>
        sql`insert into lead (account_id, campaign_id, phone_number, variables, status, contacts, attempts, created_at, updated_at)
          values (${account}, ${campaign}, '+1', '{}', 'created', 0, 0, 0, 0)`.execute(query),
      )
    await lead(1, 1)
    // The campaign of another account.
    await expect(lead(2, 1)).rejects.toMatchObject({ code: '23503' })
    const { rows } = await sql<{ account: number; n: number }>`select account_id as account, sum(n) as n from lead_count
      where level = 0 and campaign_id = 0 and status = '' group by 1 order by 1`.execute(database.read)
    expect(rows.map((it) => [Number(it.account), Number(it.n)])).toEqual([
      [1, 2],
      [2, 1],
      [3, 1],
    ])
  })

  test('is refused with serializable isolation', async () => {
    const { url, database } = await local()
    await distribute(database, { shards: 2, onStep: () => {} })
    const strict = await openPostgres(url, { isolation: 'serializable' })
    afterFile(() => strict.close())
    await expect(strict.read.selectFrom('account').select('id').execute()).rejects.toThrow('--database-isolation locks')
  })
})
