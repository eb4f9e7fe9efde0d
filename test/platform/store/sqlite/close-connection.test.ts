import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSqlite } from '../../../../src/platform/store/sqlite/sqlite-driver.ts'
import { temporaryFolder } from '../../../support/databases.ts'

test('closing a connection within a transaction discards its changes and frees the file at once', async () => {
  const file = join(temporaryFolder(), 'platform.db')
  const driver = loadSqlite()
  const first = driver.open(file)
  first.exec('create table note (text text)')
  first.exec('BEGIN IMMEDIATE')
  const statements = [
    first.prepare('select text from note'),
    first.prepare('insert into note values (?) returning text'),
  ]
  for (const [n, statement] of statements.entries()) statement.all(n === 0 ? [] : ['unsaved'])
  first.close()

  const second = driver.open(file)
  second.exec('BEGIN IMMEDIATE')
  expect(second.prepare('select text from note').all([])).toEqual([])
  second.close()
  expect(statements).toHaveLength(2)
})
