import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringifyJson } from '../../../../src/node/json.ts'
import { createVault } from '../../../../src/platform/services/runtime/vault.ts'
import { databases, opened } from '../../../support/databases.ts'
import { type Operator, operator, type Run } from '../../../support/operator.ts'

/** Starts a server in this process, and ends it when `use` is done. Returns its output. */
async function serving(
  by: Operator,
  flags: string,
  use: (url: string) => Promise<unknown> = async () => {},
  env: Record<string, string> = {},
): Promise<Run> {
  const interrupt = new AbortController()
  const lock = join(by.dataDir, 'server.json')
  let isOver = false
  const ended = by.run(`server start --port 0 ${flags}`, { interrupt, env }).finally(() => {
    isOver = true
  })
  await expect.poll(() => existsSync(lock) || isOver, { interval: 5 }).toBe(true)
  try {
    if (existsSync(lock)) await use(JSON.parse(readFileSync(lock, 'utf8')).url)
  } finally {
    interrupt.abort(143)
  }
  return ended
}

const newOperator = (env: Record<string, string> = {}): Operator => operator({ fresh: true, reopens: true, env })
const credentialsOf = (by: Operator) => JSON.parse(readFileSync(join(by.dataDir, 'credentials.json'), 'utf8'))
const keyOf = (by: Operator): string => readFileSync(join(by.dataDir, 'secret.key'), 'utf8').trim()

describe.each(databases)('a data folder with a database on $name', ({ name, target }) => {
  if (name === 'sqlite') return it.skip('has its data in a file of the folder')

  const newDatabase = async (): Promise<string> => ((await target()) as { url: string }).url
  const nameOf = (url: string): string => new URL(url).pathname.slice(1)
  const count = async (url: string, table: 'account' | 'api_key' | 'purchase'): Promise<number> => {
    const { read } = await opened({ url })
    return (await read.selectFrom(table).selectAll().execute()).length
  }

  it('remembers it, so that a command after a crash of the server changes the same data', async () => {
    const url = await newDatabase()
    const by = newOperator()
    const { exitCode, stderr } = await serving(by, `--database ${url.replace('app@', 'app:hidden-password@')}`)
    expect(exitCode).toBe(0)
    expect(stderr).toContain('Other users of this computer can see the password in --database.')
    const file = join(by.dataDir, 'database.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).not.toContain('hidden')
    // What a killed server leaves.
    writeFileSync(
      join(by.dataDir, 'server.json'),
      JSON.stringify({ url: 'http://127.0.0.1:9', pid: 2 ** 22 + 1, started_at: '2026-01-01T00:00:00Z' }),
    )
    const before = await count(url, 'purchase')
    const [number] = (await by.run('numbers search --country US --limit 1 -o id')).stdout.trim().split('\n')
    expect((await by.run(`numbers buy ${number} --yes`)).exitCode).toBe(0)
    expect(await count(url, 'purchase')).toBe(before + 1)
    expect(existsSync(join(by.dataDir, 'platform.db'))).toBe(false)
    expect(await by.json('server status')).toMatchObject({
      running: false,
      database: 'postgres',
      database_location: expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1:\\d+/${nameOf(url)}$`)),
    })
  })

  it('refuses another database, and names both', async () => {
    const [url, other] = [await newDatabase(), await newDatabase()]
    const by = newOperator()
    await serving(by, `--database ${url}`)
    const started = await serving(by, `--database ${other}`)
    expect(started.exitCode).toBe(2)
    expect(started.stderr).toMatch(
      new RegExp(`uses the database \\S+/${nameOf(url)}, but --database names \\S+/${nameOf(other)}\\.`),
    )
    const env = { PARLEY_DATABASE: other }
    const command = await by.run('numbers list', { env })
    expect([command.exitCode, command.stdout]).toEqual([2, ''])
    expect(command.stderr).toMatch(new RegExp(`/${nameOf(url)}, but PARLEY_DATABASE names \\S+/${nameOf(other)}\\.`))
    await serving(by, '', async () => {
      const through = await by.run('numbers list', { env })
      expect([through.exitCode, through.stdout]).toEqual([2, ''])
      expect(through.stderr).toContain(`/${nameOf(url)}, but PARLEY_DATABASE names`)
      expect((await by.run('numbers list', { env: { PARLEY_DATABASE: url } })).exitCode).toBe(0)
    })
    expect(await count(other, 'account')).toBe(0)
  })

  it('refuses a database that was created again under the same name', async () => {
    const url = await newDatabase()
    const by = newOperator()
    await serving(by, `--database ${url}`)
    const connection = await opened({ url })
    await connection.write('everything', (query) => query.deleteFrom('meta').where('key', '=', 'database_id').execute())
    const { exitCode, stderr } = await by.run('numbers list')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('It was created again or replaced.')
  })

  it('that has lost its address refuses everything but another address of the same database', async () => {
    const by = newOperator()
    const own = await newDatabase()
    await serving(by, `--database ${own}`)
    await by.run('keys create --name laptop')
    rmSync(join(by.dataDir, 'database.json'))
    for (const line of ['numbers list', 'server start --port 0', 'server status', 'server reset --yes']) {
      const { exitCode, stderr } = await by.run(line)
      expect([line, exitCode, stderr]).toEqual([
        line,
        2,
        expect.stringContaining('its address is missing: database.json'),
      ])
      expect(stderr).toContain('parley server start --database <url>')
    }
    expect(existsSync(join(by.dataDir, 'platform.db'))).toBe(false)
    const other = await newDatabase()
    const refused = await serving(by, `--database ${other}`)
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('is not the one that the data folder'),
    ])
    expect(await by.run('numbers list', { env: { DATABASE_URL: own } })).toMatchObject({ exitCode: 2 })
    expect((await by.run('keys list', { env: { PARLEY_DATABASE: own } })).stdout).toContain('laptop')
    expect(existsSync(join(by.dataDir, 'database.json'))).toBe(true)
    rmSync(join(by.dataDir, 'database.json'))
    await serving(by, `--database ${own}`)
    expect((await by.run('keys list')).stdout).toContain('laptop')
  })

  it('in SQLite that was lost is not replaced by an empty database', async () => {
    const by = newOperator()
    await by.run('keys create --name laptop')
    rmSync(join(by.dataDir, 'platform.db'))
    const { exitCode, stderr } = await serving(by, `--database ${await newDatabase()}`)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('has its data in SQLite')])
  })

  it('with data in SQLite refuses it, and DATABASE_URL is ignored', async () => {
    const url = await newDatabase()
    const by = operator({ reopens: true })
    const { exitCode, stderr } = await serving(by, `--database ${url}`)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('has its data in SQLite, but --database names the PostgreSQL database')
    expect(stderr).toContain('parley server migrate --to <url>')
    expect((await by.run('numbers list', { env: { PARLEY_DATABASE: url } })).exitCode).toBe(2)
    const ignoring = await serving(by, '', undefined, { DATABASE_URL: url })
    expect(ignoring.exitCode).toBe(0)
    expect(ignoring.stderr).toContain('DATABASE_URL is ignored: the data folder')
    expect(existsSync(join(by.dataDir, 'database.json'))).toBe(false)
  })

  it('continues with a database to which its SQLite data was copied', async () => {
    const url = await newDatabase()
    const by = operator({ reopens: true })
    expect((await by.run(`server migrate --to ${url}`)).exitCode).toBe(0)
    const { exitCode, stderr } = await serving(by, `--database ${url}`, async () => {
      expect((await by.run('keys create --name after')).exitCode).toBe(0)
    })
    expect(exitCode).toBe(0)
    expect(stderr).toContain('Its file platform.db is not used any more.')
    expect((await by.run('keys list -o json')).stdout).toContain('"after"')
  })

  it('takes DATABASE_URL for a new folder, only when a server starts', async () => {
    const url = await newDatabase()
    const env = { DATABASE_URL: url }
    const by = newOperator(env)
    await serving(by, '')
    expect(existsSync(join(by.dataDir, 'database.json'))).toBe(true)
    const command = newOperator(env)
    expect((await command.run('numbers list')).exitCode).toBe(0)
    expect(existsSync(join(command.dataDir, 'platform.db'))).toBe(true)
  })

  it('joins the servers of a database only with their encryption key, and shares their secrets', async () => {
    const url = await newDatabase()
    const first = newOperator()
    const started = await serving(first, `--database ${url}`)
    const { key, control, secret } = credentialsOf(first)
    expect(started.stderr).not.toContain(secret)
    const keys = await count(url, 'api_key')

    const second = newOperator()
    const refused = await serving(second, `--database ${url}`)
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain('does not have their encryption key')
    expect(refused.stderr).toContain('Copy the file secret.key')
    expect(existsSync(join(second.dataDir, 'secret.key'))).toBe(false)

    const file = join(second.cwd, 'shared.key')
    writeFileSync(file, readFileSync(join(first.dataDir, 'secret.key')))
    const joined = await serving(second, `--database ${url} --secret-key-file shared.key`, async () => {
      expect((await second.run('numbers list')).exitCode).toBe(0)
    })
    expect(joined.exitCode).toBe(0)
    expect(joined.stderr).not.toContain(secret)
    expect(credentialsOf(second)).toMatchObject({ key, control, secret })
    expect(keyOf(second)).toBe(keyOf(first))

    const third = newOperator({ PARLEY_SECRET_KEY: keyOf(first), PARLEY_DATABASE: url })
    expect((await third.run('numbers list')).exitCode).toBe(0)
    expect(credentialsOf(third)).toMatchObject({ key, control })
    expect(existsSync(join(third.dataDir, 'secret.key'))).toBe(false)
    expect(await count(url, 'api_key')).toBe(keys)

    const fourth = newOperator({ PARLEY_SECRET_KEY: 'ab'.repeat(32) })
    const wrong = await serving(fourth, `--database ${url}`)
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('was encrypted with another key')])
    const malformed = await serving(fourth, `--database ${url}`, undefined, { PARLEY_SECRET_KEY: 'secret' })
    expect([malformed.exitCode, malformed.stderr]).toEqual([
      2,
      expect.stringContaining('PARLEY_SECRET_KEY is not an encryption key of 64 hexadecimal digits.'),
    ])
  })

  it.each(['a stored answer', 'the key of a calendar'])(
    'of a version without a check of the key needs the key with which %s was encrypted, if nothing else was',
    async (only) => {
      const url = await newDatabase()
      const first = newOperator()
      await serving(first, `--database ${url}`)
      const sealed = createVault(() => Buffer.from(keyOf(first), 'hex')).seal('a text', 'a label')
      const connection = await opened({ url })
      await connection.write('everything', async (query) => {
        await query.deleteFrom('meta').where('key', 'in', ['database_id', 'key_check', 'credentials']).execute()
        await query.deleteFrom('webhook_secret').execute()
        await query.deleteFrom('automation_connection').execute()
        await query.updateTable('sender').set({ webhook_secret: null }).execute()
        await query.updateTable('sip_trunk').set({ sip_password: '' }).execute()
        await query.updateTable('automation_version').set({ definition: '{}' }).execute()
        await query.updateTable('tool').set({ headers: '[]', static_fields: '[]' }).execute()
        if (only === 'a stored answer')
          await query
            .insertInto('idempotency')
            .values({ account_id: 1, key: 'a key', request: 'a hash', status: 200, body: sealed, created_at: 0 })
            .execute()
        else
          await query
            .updateTable('assistant')
            .set({ settings: stringifyJson({ tools: [{ cal_b_api_key: sealed }] }) })
            .where('id', '=', 1)
            .execute()
      })
      const other = newOperator({ PARLEY_SECRET_KEY: 'ab'.repeat(32) })
      const wrong = await serving(other, `--database ${url}`)
      expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('was encrypted with another key')])
    },
  )

  it('follows a new key of another folder when it is opened again, and adds no key for a deleted one', async () => {
    const url = await newDatabase()
    const first = newOperator({ PARLEY_DATABASE: url })
    await first.run('numbers list')
    const second = newOperator({ PARLEY_DATABASE: url, PARLEY_SECRET_KEY: keyOf(first) })
    await second.run('numbers list')
    expect((await first.run('keys delete 1 --yes')).exitCode).toBe(0)
    const keys = await count(url, 'api_key')
    rmSync(join(second.dataDir, 'credentials.json'))
    expect((await second.run('numbers list')).exitCode).not.toBe(0)
    expect(await count(url, 'api_key')).toBe(keys)
    expect((await first.run('server accounts key 1')).exitCode).toBe(0)
    expect((await second.run('numbers list')).exitCode).toBe(0)
    expect(credentialsOf(second).key).toBe(credentialsOf(first).key)
    await first.run('server reset --yes')
    expect((await second.run('numbers list')).exitCode).toBe(0)
  })

  it('shows the key of a new platform once, on a terminal', async () => {
    const url = await newDatabase()
    const by = newOperator()
    const interrupt = new AbortController()
    const running = by.run(`server start --port 0 --database ${url}`, { interrupt, terminal: true })
    await expect.poll(() => existsSync(join(by.dataDir, 'server.json')), { interval: 5 }).toBe(true)
    interrupt.abort(130)
    expect((await running).stderr).toContain(`Bearer ${credentialsOf(by).key}`)
    const again = await serving(by, '')
    expect(again.stderr).not.toContain(credentialsOf(by).secret)
    expect(again.stderr).toContain('To create an API key: parley server accounts key 1.')
  })
})
