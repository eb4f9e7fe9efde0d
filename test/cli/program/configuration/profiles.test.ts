import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Operator, operator } from '../../../support/operator.ts'
import { ctrlC } from '../../../support/scripted-prompts.ts'

const key = '12|AbCdEfGhIjKlMnOpQrStUvWxYz0123456789wxyz'
const make = (by: Operator, more = '', stdin = `${key}\n`) =>
  by.run(`profile set staging --url https://platform.example --api-key-stdin ${more}`, { stdin })
const mode = (path: string): number => statSync(path).mode & 0o777

describe('a profile', () => {
  test('is readable by its owner only, and is deleted completely', async () => {
    const by = operator()
    expect(await make(by)).toMatchObject({
      exitCode: 0,
      stderr:
        'Commands use the profile "local" (local platform). To use "staging": parley profile use staging, or pass --profile staging.\nThe URL and the key were not checked: parley whoami --profile staging\n',
    })
    const file = join(by.configDir, 'config.json')
    expect([mode(by.configDir), mode(file)]).toEqual([0o700, 0o600])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      current: 'local',
      profiles: { staging: { base_url: 'https://platform.example', api_key: key } },
    })
    await by.run('profile use staging')
    expect(mode(file)).toBe(0o600)
    expect(await by.run('profile delete staging')).toMatchObject({ exitCode: 10, stdout: '' })
    expect(
      await by.run('profile delete staging', { answers: [['Remove profile "staging" and its API key?', true]] }),
    ).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ current: 'local', profiles: {} })
    expect(readdirSync(by.configDir)).toEqual(['config.json'])
  })

  test('does not lose settings of a later version when it is changed', async () => {
    const by = operator()
    await make(by, '')
    const file = join(by.configDir, 'config.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), later: { a: 1 } }))
    await by.run('profile set staging --read-only')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      later: { a: 1 },
      profiles: { staging: { read_only: true } },
    })
  })

  test('is changed one value at a time', async () => {
    const by = operator()
    await make(by, '--protected --default-output yaml')
    await by.run('profile set staging --no-protected --read-only --vocabulary public -o id')
    expect(await by.json('profile list')).toContainEqual({
      name: 'staging',
      approvals: 'agents',
      current: false,
      base_url: 'https://platform.example',
      key: '…wxyz',
      output: 'yaml',
      vocabulary: 'public',
      routes: [],
      protected: false,
      read_only: true,
      confirm_above: null,
      budget: null,
      history: 'on',
    })
  })

  test('shows its key by the last four characters, wherever it is shown', async () => {
    const by = operator()
    const shown = [await make(by), await make(by, '--json')]
    for (const line of [
      'profile list',
      'profile list --json',
      'profile get -p staging --origin --json',
      'profile use staging',
      'profile get',
    ])
      shown.push(await by.run(line))
    const connect = async () => ({
      base: 'https://platform.example',
      close: async () => {},
      send: async () => ({ status: 200, headers: {}, body: '{"name":"n","email":"e","total_balance":1}' }),
    })
    for (const flags of ['', '--debug', '--verbose', '--print-curl'])
      shown.push(await by.run(`whoami ${flags}`, { connect }))
    expect(shown.map((it) => it.exitCode)).toEqual(shown.map(() => 0))
    for (const { stdout, stderr } of shown) expect(stdout + stderr).not.toContain(key.slice(3, -4))
    expect(shown[0]?.stdout).toContain('Key\t…wxyz')
    expect(shown.at(-4)?.stdout).toContain('Key\t…wxyz')
  })

  test.each([
    ['a new one without an address', 'profile set other', 'Missing --url for the new profile'],
    ['an invalid name', 'profile set "a b" --url https://x.example', 'Invalid profile name "a b"'],
    ['the built-in one with another address', 'profile set local --url https://x.example', 'Its URL cannot be changed'],
    ['a key for the built-in one', 'profile set local --api-key-stdin', 'is in the data folder and cannot be changed'],
    [
      'an invalid URL',
      'profile set other --url platform.example',
      'Invalid URL "platform.example". Include the scheme, for example https://platform.example',
    ],
    [
      'a host and a port',
      'profile set other --url localhost:4477',
      'Invalid URL "localhost:4477". Include the scheme, for example http://localhost:4477',
    ],
    [
      'an address with a password',
      'profile set other --url https://me:secret@x.example',
      'must not contain a user name or password',
    ],
    [
      'plain http to another machine',
      'profile set other --url http://x.example',
      'http://x.example uses http, which would send the API key unencrypted.',
    ],
    ['an empty key', 'profile set other --url https://x.example --api-key-stdin', 'No API key on standard input.'],
    ['an unknown format', 'profile set other --url https://x.example --default-output xml', 'Allowed values: table'],
    ['forgetting the built-in one', 'profile delete local --yes', 'cannot be removed'],
  ])('is refused: %s', async (_, line, sentence) => {
    const by = operator()
    const { exitCode, stdout, stderr } = await by.run(line)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(sentence)
    expect(existsSync(by.configDir)).toBe(false)
  })

  test.each(['profile use nope', 'profile delete nope --yes', 'keys list --profile nope', 'profile get -p nope'])(
    'that does not exist is not found: %s',
    async (line) => {
      const { exitCode, stdout, stderr, requests } = await operator().run(line)
      expect({ exitCode, stdout, requests }).toEqual({ exitCode: 4, stdout: '', requests: [] })
      expect(stderr).toMatch(/rofile "nope"/)
    },
  )

  test('may use plain http to this machine, and to others only when allowed explicitly', async () => {
    const by = operator()
    for (const line of [
      'profile set a --url http://127.0.0.1:4010',
      'profile set b --url http://localhost:4010',
      'profile set c --url http://x.example --insecure',
    ]) {
      expect(await by.run(line), line).toMatchObject({ exitCode: 0 })
    }
    expect(await by.run('keys list -p c', { env: { PARLEY_API_KEY: key } })).toMatchObject({
      exitCode: 2,
      requests: [],
      stderr: expect.stringContaining('http://x.example uses http, which would send the API key unencrypted.'),
    })
  })
})

test('another account of the local platform can have a profile', async () => {
  const by = operator()
  const { key: second } = await by.json('server accounts create --name Second --balance 7')
  await by.run('profile set second --url embedded: --api-key-stdin', { stdin: second })
  expect(await by.json('whoami -p second --fields name,via,profile')).toEqual({
    name: 'Second',
    via: 'embedded',
    profile: 'second',
  })
  expect((await by.json('whoami')).name).toBe('Northwind Dental')
  expect(await by.run('server clock get -p second')).toMatchObject({ exitCode: 0 })
})

describe('the configuration', () => {
  test.each([
    '{"current": ',
    'null',
    '[]',
    '{"profiles": 5}',
    '{"profiles": {"production": 5}}',
    '{"profiles": {"production": {"base_url": "https://platform.example", "protected": "yes"}}}',
    '',
  ])(
    'that is invalid (%s) stops every command and is not changed, because its profiles may be protected',
    async (text) => {
      const by = operator()
      mkdirSync(by.configDir)
      writeFileSync(join(by.configDir, 'config.json'), text)
      const file = join(by.configDir, 'config.json')
      for (const line of [
        'keys list',
        'tools update 2 --tool-timeout 20',
        'tools update 2 --tool-timeout 20 -p production --base-url embedded:',
        'profile set production --no-protected',
      ])
        expect(await by.run(line)).toMatchObject({
          exitCode: 2,
          stdout: '',
          stderr: expect.stringMatching(/^error: The configuration \S+config\.json .*\nhint: Fix the file, or move it/),
          requests: [],
        })
      expect(readdirSync(by.configDir)).toEqual(['config.json'])
      expect(readFileSync(file, 'utf8')).toBe(text)
      writeFileSync(file, '\uFEFF{}')
      expect(await by.run('keys list')).toMatchObject({ exitCode: 0 })
    },
  )

  test('that cannot be read or written causes an error and changes nothing', async () => {
    const by = operator()
    mkdirSync(join(by.configDir, 'config.json'), { recursive: true })
    expect(await by.run('keys list')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('Could not read the configuration: EISDIR'),
    })
    writeFileSync(join(by.cwd, 'file'), '')
    const env = { PARLEY_CONFIG_DIR: join(by.cwd, 'file', 'parley') }
    expect(await by.run('profile set x --url https://x.example', { env })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/Could not write the configuration: [\s\S]*Nothing was changed\./),
    })
    expect(await by.run('keys list', { env })).toMatchObject({ exitCode: 0 })
  })

  test.skipIf(process.getuid?.() === 0)('in a read-only folder can be used and not changed', async () => {
    const by = operator()
    mkdirSync(by.configDir, { mode: 0o500 })
    expect(await by.run('profile list')).toMatchObject({ exitCode: 0 })
    expect(await make(by)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('could not be written'),
    })
  })

  test('is in the folder from the environment, or in the default folder of the system', async () => {
    const by = operator()
    const places = [
      [{ PARLEY_CONFIG_DIR: join(by.cwd, 'a') }, 'linux', 'a'],
      [{ PARLEY_CONFIG_DIR: undefined, XDG_CONFIG_HOME: join(by.cwd, 'b') }, 'linux', 'b/parley'],
      [{ PARLEY_CONFIG_DIR: undefined, APPDATA: join(by.cwd, 'c') }, 'win32', 'c/parley'],
    ] as const
    for (const [env, os, folder] of places) {
      expect(await by.run('profile set x --url https://x.example', { env, os })).toMatchObject({ exitCode: 0 })
      expect(readdirSync(join(by.cwd, folder))).toEqual(['config.json'])
    }
  })
})

describe('a read-only profile', () => {
  test('allows every read and no write', async () => {
    const by = operator()
    await by.run('profile set local --read-only')
    for (const line of [
      'keys create --name x',
      'keys delete 2 --yes',
      'tools update 1 --tool-timeout 9',
      'numbers buy +15005550006 --yes',
      'numbers release 4 --yes',
      "api tools.update --data '{id: 1, timeout: 9}'",
      'tools update 1 --tool-timeout 9 --confirm local --yes',
    ]) {
      expect(await by.run(line), line).toMatchObject({
        exitCode: 2,
        stdout: '',
        requests: [],
        stderr: expect.stringContaining('Profile "local" is read-only.'),
      })
    }
    for (const line of ['keys list', 'tools get 1', 'api keys.list', 'tools update 1 --tool-timeout 9 --dry-run'])
      expect(await by.run(line), line).toMatchObject({ exitCode: 0 })
    await by.run('profile set local --no-read-only')
    expect(await by.run('tools update 1 --tool-timeout 9')).toMatchObject({ exitCode: 0 })
  })
})

describe('a protected profile', () => {
  const writes = [
    'keys create --name x',
    'tools update 1 --tool-timeout 9',
    'keys delete 2 --yes',
    'numbers buy +15005550006 --yes',
    "api tools.update --data '{id: 1, timeout: 9}'",
  ]

  test.each(writes)('requires its name before every write: %s', async (line) => {
    const by = operator()
    await by.run('profile set local --protected')
    for (const flags of ['', '--yes', '--json']) {
      expect(await by.run(`${line} ${flags}`), flags).toMatchObject({
        exitCode: 10,
        stdout: '',
        requests: [],
        stderr: expect.stringContaining('--confirm local'),
      })
    }
    const question = '[local · simulated] Profile "local" is protected. Type local to confirm:'
    expect(await by.run(line, { answers: [[question, 'yes']] })).toMatchObject({
      exitCode: 10,
      requests: [],
      asked: [question],
    })
    expect(await by.run(line, { answers: [[question, ctrlC]] })).toMatchObject({ exitCode: 130, requests: [] })
    expect(await by.run(line, { answers: [[question, 'local']] })).toMatchObject({ exitCode: 0 })
  })

  test('requires --confirm in a script, in addition to the confirmation of the command', async () => {
    const by = operator()
    await by.run('profile set local --protected')
    expect(await by.run('tools update 1 --tool-timeout 9 --confirm local')).toMatchObject({ exitCode: 0 })
    expect(await by.run('numbers buy +15005550006 --confirm local')).toMatchObject({ exitCode: 10 })
    expect(await by.run('numbers buy +15005550006 --confirm local --yes')).toMatchObject({ exitCode: 0 })
    expect(await by.run('keys list')).toMatchObject({ exitCode: 0 })
  })
})
