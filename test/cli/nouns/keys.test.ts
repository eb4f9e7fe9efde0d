import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'

const minute = 60_000

test('the keys of the account are listed with their metadata and without secrets', async () => {
  const { run, json } = operator()
  const keys = await json('keys list')
  expect(keys).toEqual([
    { id: 1, name: 'local', last_used_at: '2026-08-04T12:00:00.000000Z', created_at: '2026-05-06T12:00:00.000000Z' },
    { id: 2, name: 'ci', last_used_at: '2026-08-04T09:00:00.000000Z', created_at: '2026-07-05T12:00:00.000000Z' },
    { id: 3, name: 'dashboard', last_used_at: null, created_at: '2026-08-02T12:00:00.000000Z' },
  ])
  expect((await run('keys list')).stdout.split('\n').slice(0, 2)).toEqual([
    'ID\tName\tLast used\tCreated',
    expect.stringMatching(/^1\tlocal\t2026-08-04 /),
  ])
})

test('the token of a new key is shown once and saved nowhere', async () => {
  const { run, json, dataDir } = operator()
  const { exitCode, stdout, stderr } = await run('keys create --name laptop --json')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'Save the token now. It is not shown again.\n' })
  const { token, ...rest } = JSON.parse(stdout)
  expect(rest).toEqual({ name: 'laptop', created_at: '2026-08-04T12:00:00.000000Z' })
  expect(token).toMatch(/^4\|[A-Za-z0-9]{40}$/)
  const secret = token.slice(2)
  for (const line of ['keys list --json', 'keys list', 'whoami', 'ops list --json', 'api keys.list'])
    expect((await run(line)).stdout, line).not.toContain(secret)
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      expect(readFileSync(join(entry.parentPath, entry.name)).includes(secret), entry.name).toBe(false)
  expect((await json('keys list')).at(-1)).toMatchObject({ id: 4, name: 'laptop', last_used_at: null })
})

test('-o id of a new key is its token alone, ready for a variable', async () => {
  const { run } = operator()
  const { stdout } = await run('keys create --name laptop -o id --quiet')
  expect(stdout).toMatch(/^4\|\w{40}\n$/)
  expect((await run('keys list -o id', { env: { PARLEY_API_KEY: stdout } })).stdout).toBe('1\n2\n3\n4\n')
})

test('a deleted key stops working at once', async () => {
  const { run, json } = operator()
  const { token } = await json('keys create --name laptop')
  const env = { PARLEY_API_KEY: token }
  expect((await run('keys list', { env })).exitCode).toBe(0)
  expect(await json('keys delete laptop --yes')).toEqual({ id: 4, message: 'API key deleted successfully.' })
  const refused = await run('keys list --json', { env })
  expect(refused).toMatchObject({ exitCode: 3, stdout: '' })
  expect(JSON.parse(refused.stderr).error).toMatchObject({
    code: 'unauthenticated',
    message: 'Unauthenticated.',
    status: 401,
  })
  expect(await run('keys delete 4 --yes')).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining('API key not found.'),
  })
})

test.each([
  ['wrong in one letter', (token: string) => `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`],
  ['of another id', (token: string) => token.replace(/^\d+/, '1')],
  ['without its id', (token: string) => token.replace(/^\d+\|/, '')],
  ['of no account', () => `99|${'x'.repeat(40)}`],
  ['cut short', (token: string) => token.slice(0, 12)],
])('a key that is %s is refused', async (_, spoil) => {
  const { run, json } = operator()
  const { token } = await json('keys create --name laptop')
  expect(await run('keys list', { env: { PARLEY_API_KEY: spoil(token) } })).toMatchObject({
    exitCode: 3,
    stdout: '',
    stderr: expect.stringMatching(/hint: The key comes from PARLEY_API_KEY/),
  })
})

test('the last use of a key is accurate to the minute', async () => {
  const { json, wait } = operator()
  const env = { PARLEY_API_KEY: (await json('keys create --name laptop')).token }
  const used = async () => (await json('keys list')).find((it: { id: number }) => it.id === 4).last_used_at
  expect(await used()).toBeNull()
  await json('whoami', { env })
  expect(await used()).toBe('2026-08-04T12:00:00.000000Z')
  wait(minute / 2)
  await json('whoami', { env })
  expect(await used()).toBe('2026-08-04T12:00:00.000000Z')
  wait(minute)
  await json('whoami', { env })
  expect(await used()).toBe('2026-08-04T12:01:30.000000Z')
})

test.each([
  ['', 'The name field is required.'],
  ['x'.repeat(256), 'The name field must not be greater than 255 characters.'],
])('a key named %j is refused with the message of the platform', async (name, text) => {
  const { run, json } = operator()
  const { exitCode, stdout, stderr } = await run(['keys', 'create', '--name', name])
  expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '' })
  expect(stderr).toContain(`error: --name: ${text}\n`)
  expect(await json('keys list')).toHaveLength(3)
})

test('a name of 255 characters is accepted, with emoji too', async () => {
  const { json } = operator()
  for (const name of ['x'.repeat(255), '👩‍🚀🦷'.repeat(63)]) {
    await json(`keys create --name ${name}`)
    expect((await json('keys list')).at(-1).name).toBe(name)
  }
})

test('deleting the key that the profile "local" uses prints how to create a new one, which replaces it', async () => {
  const { run, json, dataDir } = operator()
  const credentials = () => JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'))
  expect((await run('server accounts list')).exitCode).toBe(0)
  const before = credentials()
  expect((await run('server accounts key 1 --name spare')).stderr).not.toContain('data folder')
  expect(credentials()).toEqual(before)
  expect((await run('keys delete local --yes')).exitCode).toBe(0)
  expect(await run('keys list')).toMatchObject({
    exitCode: 3,
    stdout: '',
    stderr: expect.stringContaining('parley server accounts key 1'),
  })
  const { exitCode, stdout, stderr } = await run('server accounts key 1 -o id')
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr:
      'API key created successfully. Commands that use this data folder now use the new key. Save the key now. It is not shown again.\n',
  })
  expect(credentials()).toMatchObject({
    control: before.control,
    key: stdout.trim(),
    secret: stdout.trim().split('|')[1],
  })
  expect((await json('keys list')).map((it: { name: string }) => it.name)).toEqual([
    'ci',
    'dashboard',
    'spare',
    'local',
  ])
})

test('the last use of a key is in the time of the platform', async () => {
  const { run } = operator()
  await run('server clock advance 5h')
  const { stdout } = await run('keys list', { terminal: true, columns: 200 })
  expect(stdout).toContain('just now')
  expect(stdout).not.toMatch(/\bin \d+ h/)
})

test('deleting the key in use warns about losing access, and names the command that signs in again', async () => {
  const { run, json } = operator()
  const folder =
    'is the key that you use now (from the data folder). You lose access until you set another one (parley server accounts key 1).'
  for (const key of ['1', 'local'])
    expect(await run(`keys delete ${key}`)).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining(`It ${folder}`),
    })
  expect(await run('keys delete 1', { answers: [[`Delete API key "local" (1)? It ${folder}`, false]] })).toMatchObject({
    exitCode: 10,
  })
  expect((await run('keys delete 2')).stderr).not.toContain('the key that you use now')
  const env = { PARLEY_API_KEY: (await json('keys create --name laptop')).token }
  expect(await run('keys delete 4', { env })).toMatchObject({
    exitCode: 10,
    stderr: expect.stringContaining('(from PARLEY_API_KEY). You lose access until you set another one (parley login).'),
  })
  expect((await run('keys delete 1', { env })).stderr).not.toContain('the key that you use now')
  expect(await run('keys delete 1 --yes')).toMatchObject({
    exitCode: 0,
    stdout: 'API key deleted successfully.\n',
    stderr: `warning: API key 1 ${folder}\n`,
  })
})

test('a rejected own key is reported as such', async () => {
  const { run } = operator()
  const { exitCode, stderr } = await run('keys list', { env: { PARLEY_API_KEY: '9|nobody' } })
  expect(exitCode).toBe(3)
  expect(stderr).not.toContain('server accounts key')
})
