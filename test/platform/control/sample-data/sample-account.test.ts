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
  [0, '6f7ef8b453da70645c75895f5b7add8dd4624015fdf68d0b564b45f502f74d5b'],
  [7, '3e6f9b13fe06108194d591a68a6238c03a3fc6449643d5db357f72747e391153'],
  [42, '9690d837f88501c22ed01778754517f04de9eb7de19d806af5d30987fa1f8490'],
  [2_147_483_648, 'd94ab8399600d71b2bed04da6d2ada422df8dcdadb6c6b6973abbddcdbe763be'],
])('seed %i has the same sample account in every release', async (seed, hash) => {
  const connection = await sqlite.fresh()
  const options = optionsOf(connection, seed, '2027-03-01T09:00:00.000Z')
  await connection.write('everything', (query) => insertSampleRows(query, 'sqlite', options))
  const tables = await dump(connection)
  // A table that a later schema adds is empty, and a column null: neither is a difference.
  const added: readonly string[] = [
    'key_spending',
    'approval',
    'blocked_contact',
    'opt_out_setting',
    'contact_hours',
    'waiting_contact',
  ]
  expect(added.flatMap((name) => tables[name] ?? [])).toEqual([])
  // The names follow from the other rows.
  const others = erasableTables.filter((name) => name !== 'account_name' && !added.includes(name))
  const rows = others.map((name) => [name, tables[name]])
  const content = JSON.stringify(rows, (_, value) => (value === null ? undefined : value))
  expect(createHash('sha256').update(content).digest('hex')).toBe(hash)
})
