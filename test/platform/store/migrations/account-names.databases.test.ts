import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { findKeyOwner } from '../../../../src/platform/store/accounts/accounts.ts'
import { countWrongNames } from '../../../../src/platform/store/database/account-names.ts'
import { accountTables } from '../../../../src/platform/store/database/account-tables.ts'
import type { PlatformQuery } from '../../../../src/platform/store/database/connection.ts'
import { migrate } from '../../../../src/platform/store/database/migrate.ts'
import { platformTables } from '../../../../src/platform/store/database/platform-tables.ts'
import { migrations } from '../../../../src/platform/store/migrations/all.ts'
import { releases } from '../../../../src/platform/store/migrations/releases.ts'
import { openPostgres } from '../../../../src/platform/store/postgres/open-postgres.ts'
import { openSqlite } from '../../../../src/platform/store/sqlite/open-sqlite.ts'
import { databases, onOnePostgres, opened } from '../../../support/databases.ts'

/** Rows with names, as servers of every release insert them. */
async function insertRows(query: PlatformQuery): Promise<void> {
  for (const statement of [
    `insert into account (id, name, email, kind, balance, minute_rate, created_at) values (7, 'Old', '', 'tenant', 0, 0, 0)`,
    `insert into api_key (id, account_id, name, hash, created_at) values (3, 7, 'a key', 'hash', 0)`,
    `insert into phone_number (account_id, phone_number, country_code, type, sms_capable, created_at)
      values (7, '+14155550142', 'US', 'normal', 1, 0), (7, '+14155550142', 'US', 'sip', 0, 0)`,
    ...['owned', 'declined', 'released'].map(
      (state) => `insert into purchase (account_id, phone_number, state, country_code, sms_capable, price, price_id,
        created_at, updated_at) values (7, '+14155550142', '${state}', 'US', 1, 1, 'price', 0, 0)`,
    ),
    `insert into automation (id, account_id, name, status, created_at, updated_at) values ('a1', 7, 'Flow', 'enabled', 0, 0)`,
  ])
    await sql.raw(statement).execute(query)
}

describe.each(databases)('the migration to names on $name', ({ unmade, fresh }) => {
  onOnePostgres('earlier schemas are not distributed').each([...releases.map((it) => it.schema), 21])(
    'stores the names of rows of schema %i',
    async (schema) => {
      const where = await unmade()
      const earlier = 'url' in where ? await openPostgres(where.url) : await openSqlite(where.file)
      if ('url' in where)
        for (const statement of ['drop schema public cascade', 'create schema public'])
          await earlier.runExclusively((query) => sql.raw(statement).execute(query))
      await migrate(earlier, { steps: migrations.slice(0, schema) })
      await earlier.runExclusively(insertRows)
      await earlier.close()
      const store = await opened(where)
      const names = await store.read.selectFrom('account_name').selectAll().orderBy('kind').execute()
      expect(names).toEqual([
        { kind: 'api_key', name: 'hash', account: 7 },
        { kind: 'automation', name: 'a1', account: 7 },
        { kind: 'phone_number', name: '+14155550142', account: 7 },
        { kind: 'purchase', name: '+14155550142', account: 7 },
      ])
      expect(await countWrongNames(store.read)).toBe(0)
      expect(await findKeyOwner(store, 3, 'hash')).toMatchObject({ id: 3, account: { id: 7 } })
    },
  )

  test('every table belongs to accounts, or says why it does not', async () => {
    const { read, dialect } = await fresh()
    const { rows } = await sql<{ name: string }>`${sql.raw(
      dialect === 'postgres'
        ? "select tablename as name from pg_tables where schemaname = 'public'"
        : "select name from sqlite_master where type = 'table' and name not like 'sqlite%'",
    )}`.execute(read)
    const known = [...accountTables, ...Object.keys(platformTables)]
    expect(rows.map((it) => it.name).filter((it) => !known.includes(it))).toEqual([])
  })
})
