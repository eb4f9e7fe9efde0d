import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { createSecretGenerator } from '../../../../src/platform/control/data-folder/secret-generator.ts'
import { hasSampleNumbers, insertSampleRows } from '../../../../src/platform/control/seed/sample-rows.ts'
import { type SeedOptions, seedSampleData } from '../../../../src/platform/control/seed/seed-sample-data.ts'
import { localPayments } from '../../../../src/platform/providers/payments/local-payments.ts'
import { createInventory } from '../../../../src/platform/providers/telephony/number-inventory.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import { openStore } from '../../../../src/platform/store/database/open-store.ts'

const openEmpty = async (): Promise<Connection> => {
  const connection = await openStore({ file: join(mkdtempSync(join(tmpdir(), 'parley-rows-')), 'platform.db') })
  onTestFinished(() => connection.close())
  return connection
}

/** Returns all rows of the database, and the next ids. */
async function dump({ read }: Connection): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {}
  const tables = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(read)
  for (const { name: table } of tables.rows)
    rows[table] = (await sql`select * from ${sql.table(table)} order by 1, 2`.execute(read)).rows
  return rows
}

test.each([
  [7, '2027-03-01T09:00:00.000Z'],
  [7, '2026-11-23T03:11:27.123Z'],
  [1, '2028-02-29T23:59:59.999Z'],
  [2, '2027-01-31T00:00:00.000Z'],
  [3, '2027-05-20T12:00:00.000Z'],
  [4_294_967_295, '2030-12-31T23:55:00.000Z'],
])('prepared rows are those of the sample data, with seed %i at %s', async (seed, at) => {
  const inventory = createInventory(String(seed))
  expect(hasSampleNumbers(inventory)).toBe(true)
  const databases = [await openEmpty(), await openEmpty()] as const
  const keys: string[] = []
  for (const [n, connection] of databases.entries()) {
    const options: SeedOptions = {
      now: Date.parse(at) * 1000 + 321,
      secret: createSecretGenerator(seed)('key local', 40),
      secrets: createSecretGenerator(seed),
      payments: localPayments({ connection }),
      vault: { seal: (text, context) => `sealed: ${text} for ${context}`, open: () => '' },
      inventory,
    }
    keys.push(
      await connection.write(
        'everything',
        (query) => [seedSampleData, insertSampleRows][n]?.(query, options) as Promise<string>,
      ),
    )
  }
  expect(keys[1]).toBe(keys[0])
  expect(await dump(databases[1])).toEqual(await dump(databases[0]))
})
