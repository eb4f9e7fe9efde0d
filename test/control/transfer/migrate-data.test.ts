import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type MigrateOptions, migrateData } from '../../../src/control/transfer/migrate-data.ts'
import { checkCounters } from '../../../src/store/database/check-integrity.ts'
import { listSchemaTables } from '../../../src/store/database/migrate.ts'
import { databases, type TestDatabase, temporaryFolder } from '../../support/databases.ts'
import { fresh, isAlive, openAt, type Place, tablesOf } from '../../support/platform/test-platforms.ts'

const sqlite = databases.find((it) => it.name === 'sqlite') as TestDatabase
const awkward = 'Zoë "Ω" \\ \' \u0001\t\n\u{1F600} \u2028 null'

/** Returns a data folder with sample data, awkward values and a gap at the end of the ids. */
async function filled(): Promise<Place & { readonly key: string }> {
  const api = await fresh(sqlite, { seed: 7 })
  await api.control('POST', '/control/clock/freeze', {})
  const tables = await tablesOf(api.place)
  await tables.write('everything', async (query) => {
    await query
      .updateTable('account')
      .set({ name: awkward, balance: -9_007_199_254_740_991 })
      .where('id', '=', 1)
      .execute()
    await query.updateTable('tool').set({ description: '' }).execute()
    const last = await query.selectFrom('tool').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
    await query.deleteFrom('assistant_tool').where('tool_id', '=', last.id).execute()
    await query.deleteFrom('tool').where('id', '=', last.id).execute()
  })
  const key = String(api.platform.credentials().key)
  await api.platform.close()
  return { ...api.place, key }
}

const migrating = { pid: process.pid, isAlive }
const migrate = (dataDir: string, to: string, options: Partial<MigrateOptions> = {}) =>
  migrateData({ dataDir, to, isVerifying: false, onProgress: () => {}, ...options }, migrating)

async function targetOf(database: TestDatabase): Promise<{ readonly to: string; readonly place: Place }> {
  const target = await database.unmade()
  return 'url' in target
    ? { to: target.url, place: { dataDir: '', database: target.url } }
    : { to: dirname(target.file), place: { dataDir: dirname(target.file) } }
}

describe.each(databases)('migrating to $name', (database) => {
  test('copies every table with ids, numbering, clock and counters, and leaves the source as it was', async () => {
    const source = await filled()
    const { to, place } = await targetOf(database)
    const file = readFileSync(join(source.dataDir, 'platform.db'))
    const parts: number[] = []
    const isSwitching = place.database !== undefined
    const result = await migrate(source.dataDir, to, { onProgress: (_, part) => parts.push(part), isSwitching })
    expect(result).toMatchObject({ copied: true })
    const schema = (await listSchemaTables()).filter((it) => !['commit_marker', 'server_node'].includes(it))
    expect(result.tables.map((it) => it.table).sort()).toEqual(schema.sort())
    expect(result.tables.filter((it) => it.status !== 'ok' || it.rows !== it.target_rows)).toEqual([])
    expect(result.rows).toBeGreaterThan(200)
    expect(parts.at(-1)).toBe(1)
    expect(readFileSync(join(source.dataDir, 'platform.db')).equals(file)).toBe(true)

    const [before, after] = [await tablesOf(source), await tablesOf(place)]
    const account = await after.read.selectFrom('account').selectAll().where('id', '=', 1).executeTakeFirstOrThrow()
    expect(account).toMatchObject({ name: awkward, balance: -9_007_199_254_740_991 })
    expect((await checkCounters(after.read)).filter((it) => it.wrong !== 0)).toEqual([])
    expect(await after.read.selectFrom('clock').selectAll().execute()).toEqual(
      await before.read.selectFrom('clock').selectAll().execute(),
    )
    const opened = await openAt({ ...place, dataDir: place.dataDir || source.dataDir })
    expect(opened.platform.credentials().key).toBe(source.key)
    const { body } = await opened.control('GET', '/control/check')
    expect(body).toMatchObject({ problems: [] })
  })

  test('continues the numbering after rows that were deleted, and counts new rows', async () => {
    const source = await filled()
    const { to, place } = await targetOf(database)
    await migrate(source.dataDir, to)
    const insert = async (at: Place): Promise<number> => {
      const tables = await tablesOf(at)
      return tables.write('everything', async (query) => {
        const { id: _, ...row } = await query.selectFrom('tool').selectAll().limit(1).executeTakeFirstOrThrow()
        const { id } = await query.insertInto('tool').values(row).returning('id').executeTakeFirstOrThrow()
        const { id: __, ...lead } = await query.selectFrom('lead').selectAll().limit(1).executeTakeFirstOrThrow()
        await query
          .insertInto('lead')
          .values({ ...lead, phone_number: '+14155550999' })
          .execute()
        return Number(id)
      })
    }
    expect(await insert(place)).toBe(await insert(source))
    expect((await checkCounters((await tablesOf(place)).read)).filter((it) => it.wrong !== 0)).toEqual([])
  })

  test('refuses a target with data; compares it with --verify, and names the tables that differ', async () => {
    const source = await filled()
    const { to, place } = await targetOf(database)
    await migrate(source.dataDir, to)
    await expect(migrate(source.dataDir, to)).rejects.toMatchObject({
      exit: 'conflict',
      message: expect.stringContaining('already has data'),
    })
    expect(await migrate(source.dataDir, to, { isVerifying: true })).toMatchObject({ copied: false })
    const tables = await tablesOf(place)
    await tables.write('everything', (query) =>
      query.updateTable('account').set({ balance: 1 }).where('id', '=', 1).execute(),
    )
    const { tables: compared } = await migrate(source.dataDir, to, { isVerifying: true })
    expect(compared.filter((it) => it.status === 'differs').map((it) => it.table)).toEqual(['account'])
  })

  test('an interrupted migration leaves the target empty, and the next one succeeds', async () => {
    const source = await filled()
    const { to, place } = await targetOf(database)
    let seen = 0
    const interrupted = migrate(source.dataDir, to, {
      onProgress: () => {
        if (++seen === 40) throw new Error('interrupted')
      },
    })
    await expect(interrupted).rejects.toThrow('interrupted')
    if (place.database === undefined)
      expect(readdirSync(to)).toEqual(
        ['credentials.json', 'secret.key'].filter((it) => existsSync(join(source.dataDir, it))),
      )
    expect(await migrate(source.dataDir, to)).toMatchObject({ copied: true })
  })

  test('refuses while another process uses the data folder', async () => {
    const source = await filled()
    const { to } = await targetOf(database)
    const host = (await import('node:os')).hostname().replace(/[^\w-]/g, '_')
    copyFileSync(join(source.dataDir, 'credentials.json'), join(source.dataDir, `open.${host}.424242.abc123`))
    await expect(
      migrateData(
        { dataDir: source.dataDir, to, isVerifying: false, onProgress: () => {} },
        { pid: process.pid, isAlive: () => true },
      ),
    ).rejects.toMatchObject({ exit: 'conflict', message: expect.stringContaining('424242') })
  })
})

describe.each(databases.filter((it) => it.name === 'postgres'))('migrating from $name', (database) => {
  test('to a folder copies everything back, with the secrets of the folder', async () => {
    const source = await filled()
    const { to, place } = await targetOf(database)
    const there = await migrate(source.dataDir, to)
    const folder = join(temporaryFolder(), 'back')
    const back = await migrate(source.dataDir, folder, { from: to })
    expect(back.tables).toEqual(there.tables)
    expect(readFileSync(join(folder, 'credentials.json'), 'utf8')).toBe(
      readFileSync(join(source.dataDir, 'credentials.json'), 'utf8'),
    )
    expect((await checkCounters((await tablesOf({ dataDir: folder })).read)).filter((it) => it.wrong !== 0)).toEqual([])
    expect(await migrate(source.dataDir, folder, { isVerifying: true })).toMatchObject({ copied: false })

    const other = await targetOf(database)
    expect((await migrate(source.dataDir, other.to, { from: to })).tables).toEqual(there.tables)
    expect(place.database).toBe(to)
  })

  test('refuses while a server runs on the database', async () => {
    const api = await fresh(database, { seed: 7 })
    const url = String(api.place.database)
    const folder = join(temporaryFolder(), 'back')
    await expect(migrate(api.place.dataDir, folder, { from: url })).rejects.toMatchObject({
      exit: 'conflict',
      message: expect.stringContaining(`process ${process.pid} on `),
    })
    await api.platform.close()
    expect(await migrate(api.place.dataDir, folder, { from: url })).toMatchObject({ copied: true })
  })
})
