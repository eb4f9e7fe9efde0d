import { Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import { compiledQuery } from '../../../../src/platform/store/database/compiled-query.ts'
import type { Query } from '../../../../src/platform/store/database/connection.ts'
import type { Tables } from '../../../../src/platform/store/database/tables.ts'
import { postgresDialect } from '../../../../src/platform/store/postgres/kysely-dialect.ts'
import { sqliteQuery } from '../../../../src/platform/store/sqlite/kysely-dialect.ts'

type Sent = readonly [sql: string, ...parameters: unknown[]]

/** Builders of both dialects that only note what they send. */
function recording(): { readonly sqlite: Query; readonly postgres: Query; readonly sent: Sent[] } {
  const sent: Sent[] = []
  return {
    sent,
    sqlite: sqliteQuery(() => ({
      async executeQuery({ sql, parameters }) {
        sent.push([sql, ...parameters])
        return { rows: [] }
      },
      streamQuery: () => expect.unreachable(),
    })),
    postgres: new Kysely<Tables>({
      dialect: postgresDialect(async (sql, parameters) => {
        sent.push([sql, ...parameters])
        return { rows: [], command: 'SELECT', rowCount: 0 }
      }),
    }),
  }
}

/** Stores a value; the value is bound twice, and before the key. */
const store = compiledQuery((query, key: string, value: string) =>
  query
    .insertInto('meta')
    .values({ value, key })
    .onConflict((on) => on.column('key').doUpdateSet({ value })),
)

test('each call of a compiled query binds its own values, in the order of the statement', async () => {
  const { sqlite, sent } = recording()
  await store(sqlite, 'seed', '5')
  await store(sqlite, 'name', '6')
  expect(sent.map(([, ...parameters]) => parameters)).toEqual([
    ['5', 'seed', '5'],
    ['6', 'name', '6'],
  ])
})

test('its text is compiled for each database', async () => {
  const { sqlite, postgres, sent } = recording()
  for (const query of [sqlite, postgres, sqlite]) await store(query, 'seed', '5')
  const text = (...slots: readonly string[]) =>
    `insert into "meta" ("value", "key") values (${slots[0]}, ${slots[1]}) on conflict ("key") do update set "value" = ${slots[2]}`
  expect(sent.map(([sql]) => sql)).toEqual([text('?', '?', '?'), text('$1', '$2', '$3'), text('?', '?', '?')])
})

test('it is built once for each database, however often it runs', async () => {
  const { sqlite, postgres } = recording()
  let built = 0
  const read = compiledQuery((query, key: string) => {
    built++
    return query.selectFrom('meta').select('value').where('key', '=', key)
  })
  for (const query of [sqlite, postgres, sqlite, postgres]) await read(query, 'seed')
  expect(built).toBe(2)
})

test('a statement to PostgreSQL names the account whose connections it uses, in every way of building it', async () => {
  const accounts: number[] = []
  const query = new Kysely<Tables>({
    dialect: postgresDialect(async (_, __, { account }) => {
      accounts.push(account)
      return { rows: [], command: 'SELECT', rowCount: 0 }
    }),
  })
  const read = compiledQuery((from) => from.selectFrom('tool').select('id'))
  for (const from of [query, accountQuery(query, 7), accountQuery(query, 8)]) {
    await read(from)
    await from.selectFrom('tool').select('id').execute()
    await sql`select 1`.execute(from)
  }
  expect(accounts).toEqual([0, 0, 0, 7, 7, 7, 8, 8, 8])
})

test('rows that a transaction already has of a cacheable table are not read again', async () => {
  const row = { key: 'seed', value: '5' }
  const query = new Kysely<Tables>({
    dialect: postgresDialect(
      async () => expect.unreachable(),
      (table) => (table === 'meta' ? [row] : undefined),
    ),
  })
  const read = compiledQuery((from) => from.selectFrom('meta').selectAll(), { cacheTable: 'meta' })
  expect(await read(query)).toEqual([row])
})
