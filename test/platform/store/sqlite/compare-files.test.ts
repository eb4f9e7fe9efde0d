import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SqliteDatabase, SqliteDriver } from '../../../../src/platform/store/sqlite/libsql-driver.ts'
import { compareFiles } from '../../../../src/platform/store/sqlite/snapshots.ts'
import { loadSqlite } from '../../../../src/platform/store/sqlite/sqlite-driver.ts'
import { temporaryFolder } from '../../../support/databases.ts'

const tables = [{ name: 'note', ignored: [] }]

/** Two files with a table of notes: the second has another text, and one note more. */
function twoFiles(driver: SqliteDriver): readonly [string, string] {
  const folder = temporaryFolder()
  const [from, to] = [join(folder, 'before.db'), join(folder, 'after.db')]
  for (const [file, ...notes] of [
    [from, 'a'],
    [to, 'b', 'c'],
  ] as const) {
    const database = driver.open(file)
    database.exec('PRAGMA journal_mode=WAL; create table note (id integer primary key, text text)')
    for (const text of notes) database.exec(`insert into note (text) values ('${text}')`)
    database.close()
  }
  return [from, to]
}

/** A driver that references the connections that it opened, so that no garbage collection frees their files. */
function holding(driver: SqliteDriver): SqliteDriver & { readonly opened: SqliteDatabase[] } {
  const opened: SqliteDatabase[] = []
  return {
    ...driver,
    opened,
    open(...given) {
      const database = driver.open(...given)
      opened.push(database)
      return database
    },
  }
}

test('both files can be written and deleted after a comparison, and after one that failed', async () => {
  const driver = loadSqlite()
  const files = twoFiles(driver)
  const using = holding(driver)
  expect(await compareFiles(using, files, tables, 10)).toMatchObject([{ created: 1, changed: 1, deleted: 0 }])
  await expect(compareFiles(using, files, [{ name: 'missing', ignored: [] }], 10)).rejects.toThrow()
  for (const file of files) {
    const writer = driver.open(file)
    writer.exec('PRAGMA busy_timeout=0; PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE; delete from note; COMMIT')
    writer.close()
    rmSync(file)
    expect(existsSync(file)).toBe(false)
  }
  expect(using.opened).toHaveLength(2)
})
