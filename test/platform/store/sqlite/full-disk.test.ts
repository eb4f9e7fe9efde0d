import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SqliteDatabase, SqliteDriver } from '../../../../src/platform/store/sqlite/libsql-driver.ts'
import { openSqlite } from '../../../../src/platform/store/sqlite/open-sqlite.ts'
import { loadSqlite } from '../../../../src/platform/store/sqlite/sqlite-driver.ts'
import { SqliteError } from '../../../../src/platform/store/sqlite/sqlite-store-errors.ts'
import { temporaryFolder } from '../../../support/databases.ts'

/** SQLITE_IOERR_SHMSIZE: what SQLite reports when the file for the index of the log cannot grow. */
const noSpaceForIndex = 4874

/** A driver on a disk without space: only a connection that needs no index beside the file can read it. */
function fullDisk(driver: SqliteDriver): SqliteDriver {
  return {
    ...driver,
    open(...given): SqliteDatabase {
      const database = driver.open(...given)
      let isAlone = false
      return {
        exec(statements: string) {
          isAlone ||= statements.includes('locking_mode=EXCLUSIVE')
          return database.exec(statements)
        },
        prepare(statement: string) {
          if (!isAlone) throw new SqliteError('disk I/O error', noSpaceForIndex)
          return database.prepare(statement)
        },
        close: () => database.close(),
      } as SqliteDatabase
    },
  }
}

test('a file on a full disk can be read, and a write says that there is no space', async () => {
  const file = join(temporaryFolder(), 'parley.db')
  const driver = loadSqlite()
  const before = driver.open(file)
  before.exec("PRAGMA journal_mode=WAL; create table note (text text); insert into note values ('kept')")
  before.close()
  const database = await openSqlite(file, { driver: fullDisk(driver) })
  try {
    expect(
      await database.read
        .selectFrom('note' as never)
        .selectAll()
        .execute(),
    ).toEqual([{ text: 'kept' }])
    await expect(database.write('rows', (query) => query.deleteFrom('note' as never).execute())).rejects.toMatchObject({
      reason: 'full',
    })
  } finally {
    await database.close()
  }
})
