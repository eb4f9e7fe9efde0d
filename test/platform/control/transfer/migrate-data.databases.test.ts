import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { migrateData } from '../../../../src/platform/control/transfer/data-transfer.ts'
import { checkCounters } from '../../../../src/platform/store/database/check-integrity.ts'
import { listSchemaTables } from '../../../../src/platform/store/database/migrate.ts'
import { openSqlite } from '../../../../src/platform/store/sqlite/open-sqlite.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import { fresh, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'
import { awkward, filled, migrate, targetOf } from './migrations.ts'

describe.each(databases)('migrating to $name', (database) => {
  test('copies every table with ids, numbering, clock and counters, and does not change the source', async () => {
    const source = await filled()
    const { to, place } = await targetOf(database)
    const file = readFileSync(join(source.dataDir, 'platform.db'))
    const parts: number[] = []
    const isSwitching = place.database !== undefined
    const result = await migrate(source.dataDir, to, { onProgress: (_, part) => parts.push(part), isSwitching })
    expect(result).toMatchObject({ copied: true })
    const schema = (await listSchemaTables()).filter(
      (it) => !['account_commit', 'commit_marker', 'server_node'].includes(it),
    )
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

  test('refuses an id of 2^36 or more, and a numbering that continues there', async () => {
    const change = async (statement: string) => {
      const source = await filled()
      const file = await openSqlite(join(source.dataDir, 'platform.db'))
      await file.write('everything', (query) => sql.raw(statement).execute(query))
      await file.close()
      return migrate(source.dataDir, (await targetOf(database)).to)
    }
    const refused = 'The id 68719476736 of tool cannot be stored: ids are below 68719476736.'
    const add = `insert into tool (id, account_id, name, description, type, endpoint, method, timeout, body_format, headers,
      static_fields, "schema", created_at, updated_at) select 68719476736, account_id, 'new', '', type, endpoint, method,
      timeout, body_format, headers, static_fields, "schema", 1, 1 from tool limit 1`
    await expect(change(add)).rejects.toThrow(refused)
    await expect(change("update sqlite_sequence set seq = 68719476736 where name = 'tool'")).rejects.toThrow(refused)
    expect(await change(add.replace('68719476736', '68719476735'))).toMatchObject({ copied: true })
  })

  test('does not use the data folder any more, also after it was refused', async () => {
    const source = await filled()
    const { to } = await targetOf(database)
    const uses = () => readdirSync(source.dataDir).filter((it) => it.startsWith('open.'))
    await migrate(source.dataDir, to)
    expect(uses()).toEqual([])
    await expect(migrate(source.dataDir, to)).rejects.toMatchObject({ exit: 'conflict' })
    expect(uses()).toEqual([])
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

test.each(['secret', 'control'])(
  'migrating to a folder whose credentials have another %s is refused, and leaves them',
  async (field) => {
    const source = await filled()
    const to = temporaryFolder()
    const own = JSON.parse(readFileSync(join(source.dataDir, 'credentials.json'), 'utf8'))
    const other = JSON.stringify({ ...own, [field]: 'another' })
    writeFileSync(join(to, 'credentials.json'), other)
    await expect(migrate(source.dataDir, to)).rejects.toMatchObject({
      exit: 'conflict',
      message: expect.stringContaining('has its own credentials.json'),
    })
    expect(readFileSync(join(to, 'credentials.json'), 'utf8')).toBe(other)
    expect(readdirSync(to)).toEqual(['credentials.json'])
  },
)

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
