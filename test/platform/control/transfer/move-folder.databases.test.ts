import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { databases, onOnePostgres, opened, type TestDatabase } from '../../../support/databases.ts'
import { type Operator, operator } from '../../../support/operator.ts'

const trunk = 'sip-trunks create --name Office --sip-address sip.example.com --sip-username u --sip-password secret-1'
const stored = (by: Operator) => JSON.parse(readFileSync(join(by.dataDir, 'database.json'), 'utf8'))
const credentials = (dir: string) => JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8'))

async function urlOf(database: TestDatabase): Promise<string> {
  const target = await database.target()
  return 'url' in target ? target.url : ''
}

test('a data folder is not switched to another folder, and nothing is copied', async () => {
  const by = operator({ reopens: true })
  await by.run(trunk)
  const other = join(by.cwd, 'other')
  expect(await by.run(`server migrate --to ${other} --switch`)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--switch needs a URL or "sqlite" in --to'),
  })
  expect([existsSync(join(other, 'platform.db')), existsSync(join(by.dataDir, 'database.json'))]).toEqual([
    false,
    false,
  ])
})

describe.each(databases)('moving a data folder to $name and back', (database) => {
  if (database.name === 'sqlite') return test.skip('needs PostgreSQL')

  test('needs no --from, and the folder uses its SQLite file again', async () => {
    const by = operator({ reopens: true })
    await by.run(trunk)
    const url = await urlOf(database)
    expect(await by.run(`server migrate --to ${url} --switch`)).toMatchObject({ exitCode: 0 })
    expect(await by.run('server accounts create --name Later')).toMatchObject({ exitCode: 0 })
    const before = await by.json('sip-trunks list')

    const refused = await by.run('server migrate --to sqlite --switch')
    expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('platform.db already has data') })
    expect(refused.stderr).toContain('before the data folder used PostgreSQL')
    expect(existsSync(join(by.dataDir, 'database.json'))).toBe(true)
    renameSync(join(by.dataDir, 'platform.db'), join(by.cwd, 'old.db'))
    expect(await by.run('server migrate --to sqlite --switch')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Copied \d+ rows in \d+ tables from 127\S+ to \S+platform\.db\. /),
    })
    expect(existsSync(join(by.dataDir, 'database.json'))).toBe(false)
    expect(await by.json('server status')).toMatchObject({ database: 'sqlite', accounts: 2 })
    expect(await by.json('sip-trunks list')).toEqual(before)
    await by.run('server accounts create --name "In SQLite again"')
    const { read } = await opened({ url })
    expect(await read.selectFrom('account').selectAll().execute()).toHaveLength(2)
  })

  test('without --switch leaves the folder with its database', async () => {
    const by = operator({ reopens: true })
    await by.run(`server migrate --to ${await urlOf(database)} --switch`)
    rmSync(join(by.dataDir, 'platform.db'))
    const copied = await by.run('server migrate --to sqlite')
    expect(copied).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('still uses') })
    expect(await by.json('server status')).toMatchObject({ database: 'postgres' })
  })

  test('with --switch continues after the process ended between the copy and the switch', async () => {
    const by = operator({ reopens: true })
    const url = await urlOf(database)
    await by.run(`server migrate --to ${url}`)
    expect(await by.run(`server migrate --to ${url} --switch`)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('has the same content'),
    })
    expect(stored(by).url).toContain(new URL(url).pathname)
    expect(await by.json('server status')).toMatchObject({ database: 'postgres' })
    rmSync(join(by.dataDir, 'platform.db'))
    await by.run('server migrate --to sqlite')
    expect(await by.run('server migrate --to sqlite --switch')).toMatchObject({ exitCode: 0 })
    expect(existsSync(join(by.dataDir, 'database.json'))).toBe(false)
  })

  test('with --switch refuses a target with other data', async () => {
    const by = operator({ reopens: true })
    const url = await urlOf(database)
    await by.run(`server migrate --to ${url}`)
    expect(await by.run('server accounts create --name Later')).toMatchObject({ exitCode: 0 })
    expect(await by.run(`server migrate --to ${url} --switch`)).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('already has data'),
    })
    expect(existsSync(join(by.dataDir, 'database.json'))).toBe(false)
  })

  onOnePostgres('serializable isolation is refused there')(
    'takes the password of DATABASE_URL, and stores the settings of the connection',
    async () => {
      const by = operator({ reopens: true, env: { DATABASE_URL: '' } })
      const url = await urlOf(database)
      const env = { DATABASE_URL: url.replace('app@', 'app:from-the-environment@') }
      const flags = '--database-pooled yes --database-isolation serializable'
      expect(await by.run(`server migrate --to ${url} --switch ${flags}`, { env })).toMatchObject({ exitCode: 0 })
      expect(stored(by)).toMatchObject({ isPooled: true, isolation: 'serializable' })
      expect(JSON.stringify(stored(by))).not.toContain('from-the-environment')
      expect(await by.run('numbers list')).toMatchObject({ exitCode: 0 })
    },
  )

  test('warns about a password among the arguments', async () => {
    const by = operator({ reopens: true })
    const url = (await urlOf(database)).replace('app@', 'app:visible@')
    const { exitCode, stderr, stdout } = await by.run(`server migrate --to ${url}`)
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('can see the password in --to')])
    expect(stdout + stderr).not.toContain('visible')
  })

  test('to a new folder takes the key and secrets of the database, not those of an unrelated folder', async () => {
    const owner = operator({ reopens: true })
    await owner.run(trunk)
    const url = await urlOf(database)
    await owner.run(`server migrate --to ${url} --switch`)
    await owner.run('numbers list')

    const other = operator({ reopens: true })
    await other.run('numbers list')
    writeFileSync(join(other.dataDir, 'secret.key'), `${'ab'.repeat(32)}\n`)
    const refused = await other.run(`server migrate --from ${url} --to ./moved`)
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('encrypted with another key') })
    expect(existsSync(join(other.cwd, 'moved', 'secret.key'))).toBe(false)

    const key = join(owner.dataDir, 'secret.key')
    const clean = operator({ fresh: true, reopens: true })
    mkdirSync(clean.dataDir, { recursive: true })
    const line = `server migrate --from ${url} --to ./moved --secret-key-file ${key}`
    expect(await clean.run(line)).toMatchObject({ exitCode: 0 })
    const moved = join(clean.cwd, 'moved')
    expect(readFileSync(join(moved, 'secret.key'), 'utf8')).toBe(readFileSync(key, 'utf8'))
    expect(credentials(moved)).toMatchObject({
      key: credentials(owner.dataDir).key,
      control: credentials(owner.dataDir).control,
    })
    const there = await clean.run('sip-trunks list -o json', { env: { PARLEY_DATA_DIR: moved } })
    expect(JSON.parse(there.stdout)).toEqual(await owner.json('sip-trunks list'))
  })

  test('with --switch shares its key and credentials at once, for folders that only get secret.key', async () => {
    const owner = operator({ reopens: true })
    const url = await urlOf(database)
    await owner.run(`server migrate --to ${url} --switch`)
    const joining = operator({ fresh: true, reopens: true, env: { PARLEY_DATABASE: url } })
    mkdirSync(joining.dataDir, { recursive: true })
    copyFileSync(join(owner.dataDir, 'secret.key'), join(joining.dataDir, 'secret.key'))
    expect(await joining.run('tools list')).toMatchObject({ exitCode: 0 })
    expect(credentials(joining.dataDir).key).toBe(credentials(owner.dataDir).key)
  })

  test('refuses a folder that uses PostgreSQL as target, and another database than that of the folder as source', async () => {
    const by = operator({ reopens: true })
    const url = await urlOf(database)
    await by.run(`server migrate --to ${url} --switch`)
    const other = join(by.cwd, 'other')
    mkdirSync(other)
    copyFileSync(join(by.dataDir, 'database.json'), join(other, 'database.json'))
    const refused = await by.run('server migrate --to ./other')
    expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('uses a PostgreSQL database') })
    writeFileSync(join(by.dataDir, 'database.json'), JSON.stringify({ ...stored(by), id: 'another' }))
    const replaced = await by.run('server migrate --to ./third')
    expect(replaced).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('created again or replaced') })
  })
})
