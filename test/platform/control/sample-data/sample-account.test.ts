import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { loaderDeps } from '../../../../src/generate/sample-rows.ts'
import { createSecretGenerator } from '../../../../src/platform/control/data-folder/secret-generator.ts'
import type { LoadOptions } from '../../../../src/platform/control/sample-data/load-sample-data.ts'
import { prepareSampleAccount } from '../../../../src/platform/control/sample-data/sample-account.ts'
import { insertSampleRows } from '../../../../src/platform/control/sample-data/sample-rows.ts'
import { localPayments } from '../../../../src/platform/providers/payments/local-payments.ts'
import { createInventory } from '../../../../src/platform/providers/telephony/number-inventory.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import { erasableTables } from '../../../../src/platform/store/database/erase-data.ts'
import { sqlite } from '../../../support/databases.ts'

/** Returns all rows of the database, and the next ids. */
async function dump({ read }: Connection): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {}
  const tables = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(read)
  for (const { name: table } of tables.rows)
    rows[table] = (await sql`select * from ${sql.table(table)} order by 1, 2`.execute(read)).rows
  return rows
}

const optionsOf = (connection: Connection, seed: number, at: string): LoadOptions => ({
  now: Date.parse(at) * 1000 + 321,
  secret: createSecretGenerator(seed)('key local', 40),
  secrets: createSecretGenerator(seed),
  payments: localPayments({ connection }),
  vault: { seal: (text, context) => `sealed: ${text} for ${context}`, open: () => '' },
  inventory: createInventory(String(seed)),
})

// Seeds with which the first number can send text messages, as the loader requires for the sample campaign.
test.each([
  [7, '2027-03-01T09:00:00.000Z'],
  [7, '2026-11-23T03:11:27.123Z'],
  [1, '2028-02-29T23:59:59.999Z'],
  [2, '2027-01-31T00:00:00.000Z'],
  [4_294_967_295, '2030-12-31T23:55:00.000Z'],
])('prepared rows are those of the document, with seed %i at %s', async (seed, at) => {
  const [loaded, inserted] = [await sqlite.fresh(), await sqlite.fresh()]
  const insert = await prepareSampleAccount(loaderDeps(loaded, tmpdir()), optionsOf(loaded, seed, at))
  const key = await loaded.write('everything', insert)
  expect(
    await inserted.write('everything', (query) => insertSampleRows(query, 'sqlite', optionsOf(inserted, seed, at))),
  ).toBe(key)
  expect(await dump(inserted)).toEqual(await dump(loaded))
})

test.each([
  [0, '2cb4f6078079807c1a1d013f644ec7debfe9d6b7ea57c81b3feeb9a2f014ef07'],
  [7, '4b9dc7a87fa610afe8f31377a4fe9ffd59ec861a31e9b3eae4dd047409b1bf53'],
  [42, 'a4f0cbad16152db01b53b3735268f99e68e5c16d80a338fa87409d3cb0cb6ac5'],
  [2_147_483_648, 'f5c9a03438bff53cc6a485f7d0eea357400d9478c6753bb03410f6d25c0c98e6'],
])('seed %i has the same sample account in every release', async (seed, hash) => {
  const connection = await sqlite.fresh()
  const options = optionsOf(connection, seed, '2027-03-01T09:00:00.000Z')
  await connection.write('everything', (query) => insertSampleRows(query, 'sqlite', options))
  const tables = await dump(connection)
  const rows = erasableTables.map((name) => [name, tables[name]])
  expect(createHash('sha256').update(JSON.stringify(rows)).digest('hex')).toBe(hash)
})
