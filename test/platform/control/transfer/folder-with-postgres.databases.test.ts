import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../../../support/databases.ts'
import { type Operator, operator } from '../../../support/operator.ts'

async function urlOf(database: TestDatabase): Promise<string> {
  const target = await database.target()
  return 'url' in target ? target.url : ''
}

/** Returns a folder whose data was moved to PostgreSQL. Its SQLite file of before is still there. */
async function switched(database: TestDatabase): Promise<{ readonly by: Operator; readonly url: string }> {
  const by = operator({ reopens: true })
  await by.run('server backup old.backup')
  const url = await urlOf(database)
  expect(await by.run(`server migrate --to ${url} --switch`)).toMatchObject({ exitCode: 0 })
  expect(existsSync(join(by.dataDir, 'platform.db'))).toBe(true)
  await by.run('server accounts create --name Later')
  return { by, url }
}

describe.each(databases)('a data folder that uses $name', (database) => {
  if (database.name === 'sqlite') return test.skip('has a SQLite file: see back-up-folder.test.ts')

  test('is not backed up from its old SQLite file: the message names pg_dump', async () => {
    const { by } = await switched(database)
    const refused = await by.run('server backup now.backup')
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
    expect(refused.stderr).toContain('uses the PostgreSQL database 127.0.0.1:')
    expect(refused.stderr).toContain('pg_dump')
    expect(readdirSync(by.cwd)).toEqual(['old.backup'])
  })

  test('is not restored from a backup: nothing is asked or changed, and the message names pg_restore', async () => {
    const { by } = await switched(database)
    const file = readFileSync(join(by.dataDir, 'platform.db'))
    const refused = await by.run(`server restore old.backup --confirm ${basename(by.dataDir)}`)
    expect(refused).toMatchObject({ exitCode: 2, stdout: '', asked: [] })
    expect(refused.stderr).toContain('pg_restore')
    expect(await by.json('server accounts list')).toHaveLength(2)
    expect(readFileSync(join(by.dataDir, 'platform.db')).equals(file)).toBe(true)
  })

  test('has no snapshots, and says which tools to use', async () => {
    const { by } = await switched(database)
    const snapshot = await by.run('server snapshot save before')
    expect(snapshot.exitCode).not.toBe(0)
    expect(snapshot.stderr).toContain('pg_dump')
    expect(await by.json('server snapshot list')).toEqual([])
  })

  test('is checked, measured and listed in PostgreSQL', async () => {
    const { by } = await switched(database)
    const report = await by.json('server status')
    expect(report).toMatchObject({ database: 'postgres', accounts: 2 })
    expect(await by.run('server check')).toMatchObject({ exitCode: 0 })
  })

  test('refuses a database in the environment before anything is backed up or restored', async () => {
    const url = await urlOf(database)
    const by = operator({ fresh: true, reopens: true, env: { PARLEY_DATABASE: url } })
    const source = operator()
    await source.run('server backup it.backup')
    copyFileSync(join(source.cwd, 'it.backup'), join(by.cwd, 'it.backup'))
    for (const line of ['server backup x.backup', 'server restore it.backup']) {
      const refused = await by.run(line)
      expect(refused, line).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/pg_(dump|restore)/) })
    }
    expect(readdirSync(by.cwd)).toEqual(['it.backup'])
  })
})
