import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Transport, TransportError, type TransportReason } from '../../../../src/client/transport/transport.ts'
import { publicVocabulary } from '../../../../src/contract/vocabulary/public-vocabulary.ts'
import { type Operator, operator, type RunOptions, today } from '../../../support/operator.ts'
import { tidyAccount } from '../../../support/tidy-account.ts'

const url = 'https://assistants.example'
const key = '12|AbCdEfGhIjKlMnOpQrStUvWxYz'

interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failed'
  readonly detail: string
  readonly hint: string | null
}

interface Examined {
  readonly exitCode: number
  of(check: string): Finding
  readonly troubled: readonly Finding[]
  readonly all: readonly Finding[]
}

async function examine(by: Operator, more = '', options: RunOptions = {}): Promise<Examined> {
  const { exitCode, stdout, stderr } = await by.run(`doctor --json ${more}`, options)
  expect(stderr).not.toContain('"error"')
  const all = JSON.parse(stdout) as Finding[]
  return {
    exitCode,
    all,
    troubled: all.filter((it) => it.status !== 'ok'),
    of: (check) => all.findLast((it) => it.check === check) as Finding,
  }
}

const deployment =
  ({
    supports = 'neutral',
    status = 200,
    ahead = 0,
    capabilities,
    lost,
  }: {
    supports?: 'neutral' | 'public' | 'nothing'
    status?: number
    ahead?: number
    capabilities?: string
    lost?: TransportReason
  } = {}): NonNullable<RunOptions['connect']> =>
  async (base): Promise<Transport> => ({
    base,
    async send({ url: path, headers }) {
      if (lost) throw new TransportError(lost, 'CERT_HAS_EXPIRED', false)
      const date = new Date(today + ahead * 1000).toUTCString()
      const json = (code: number, body: unknown) => ({
        status: code,
        headers: {
          'content-type': 'application/json',
          date,
          ...(capabilities !== undefined && { 'parley-capabilities': capabilities }),
        },
        body: JSON.stringify(body),
      })
      if (status !== 200) return json(status, { message: 'Out of order.' })
      if (headers.authorization !== `Bearer ${key}`) return json(401, { message: 'Unauthenticated.' })
      if (path === '/api/user/me')
        return json(200, { name: 'Contoso', email: 'ops@contoso.example', total_balance: 12.5 })
      const word = supports === 'public' ? publicVocabulary.paths.messaging : supports === 'neutral' ? 'messaging' : '-'
      return path.startsWith(`/api/user/${word}/senders`)
        ? json(200, { data: [] })
        : json(404, { message: 'Not Found' })
    },
    close: async () => {},
  })

const away = (change: Parameters<typeof deployment>[0] = {}): RunOptions => ({
  connect: deployment(change),
  env: { PARLEY_API_KEY: key, PARLEY_BASE_URL: url },
})

test('finds no problems on the local platform, names the simulated providers, and changes nothing', async () => {
  const by = await tidyAccount(operator())
  const { exitCode, all, of, troubled } = await examine(by)
  expect({ exitCode, troubled }).toEqual({ exitCode: 0, troubled: [] })
  expect(of('parley').detail).toBe('Parley 0.0.0-test on Node 20.18.0, linux.')
  expect(of('database').detail).toMatch(
    /^The sqlite database of the local platform has no errors. Schema version \d+\.$/,
  )
  expect(of('provider_telephony').detail).toContain('No real numbers are bought')
  expect(of('provider_voice').detail).toContain('No SIP server is contacted')
  expect(of('key').detail).toMatch(/^….{4}, from the data folder: Northwind Dental\.$/)
  expect(of('vocabulary').detail).toContain('use the neutral vocabulary')
  expect(all.every((it) => it.detail.length > 0)).toBe(true)
  expect((await by.run('doctor')).requests.every((it) => it.startsWith('GET '))).toBe(true)
})

test('creates nothing on a new machine', async () => {
  const by = operator({ fresh: true })
  const { exitCode, troubled, of } = await examine(by)
  expect({ exitCode, troubled }).toEqual({ exitCode: 0, troubled: [] })
  expect(of('data_folder').detail).toContain('No data folder yet')
  expect(existsSync(by.dataDir)).toBe(false)
  expect(existsSync(by.configDir)).toBe(false)
})

test('names folders that do not exist and cannot be created', async () => {
  const by = operator({ fresh: true })
  const file = join(by.dataDir, '../file')
  writeFileSync(file, '')
  const env = { PARLEY_DATA_DIR: join(file, 'deep/data'), PARLEY_CONFIG_DIR: join(file, 'config') }
  const { exitCode, stdout } = await by.run('doctor --json', { env })
  expect(exitCode).toBe(20)
  const of = (check: string) => JSON.parse(stdout).find((it: { check: string }) => it.check === check)
  expect(of('data_folder')).toMatchObject({
    status: 'failed',
    detail: `${env.PARLEY_DATA_DIR} cannot be created: ${file} is a file.`,
    hint: 'Make a folder there that can be written, or set PARLEY_DATA_DIR to another folder.',
  })
  expect(of('configuration')).toMatchObject({
    status: 'warning',
    detail: `No configuration yet, and ${env.PARLEY_CONFIG_DIR} cannot be created: ${file} is a file.`,
    hint: 'To store profiles, set PARLEY_CONFIG_DIR to a folder that can be written.',
  })
})

test('is a plain table if piped, and sentences on a terminal', async () => {
  const by = operator()
  const piped = await by.run('doctor')
  expect(piped.stdout.split('\n')[0]).toBe('Status\tCheck\tDetails\tFix')
  chmodSync(join(by.dataDir, 'credentials.json'), 0o644)
  const { exitCode, stdout, stderr } = await by.run('doctor', { terminal: true, columns: 200 })
  expect(exitCode).toBe(20)
  expect(stdout).toMatch(
    /^failed {3}Data folder +\S+credentials\.json holds secrets and is accessible to other users \(mode 0644\)\.$/m,
  )
  expect(stdout).toMatch(/^ +-> chmod 600 \S+credentials\.json$/m)
  expect(stderr).toContain('1 failed')
})

describe('files', () => {
  test.each(['credentials.json', 'secret.key', 'platform.db'])(
    'of the data folder: %s that others can read is a failure',
    async (name) => {
      const by = operator()
      await by.run('keys list')
      chmodSync(join(by.dataDir, name), 0o640)
      const { exitCode, of } = await examine(by)
      expect(exitCode).toBe(20)
      expect(of('data_folder')).toMatchObject({ status: 'failed', hint: `chmod 600 ${join(by.dataDir, name)}` })
    },
  )

  test.each(['spends.ndjson', 'secret.key', 'history', 'platform.db.v1.bak'])(
    'of the data folder: %s that cannot be read is a failure, and never "ok"',
    async (name) => {
      const by = operator()
      await by.run('keys list')
      const path = join(by.dataDir, name)
      rmSync(path, { recursive: true, force: true })
      // A link to itself cannot be read by any user.
      symlinkSync(name, path)
      const { exitCode, all } = await examine(by)
      expect(exitCode).toBe(20)
      const found = all.filter((it) => it.check === 'data_folder')
      expect(found).toEqual([
        expect.objectContaining({ status: 'failed', detail: expect.stringContaining(`${path} cannot be read: `) }),
      ])
    },
  )

  test('a data folder that is a link to a folder is read', async () => {
    const by = operator()
    await by.run('keys list')
    const link = join(by.cwd, 'data-link')
    symlinkSync(by.dataDir, link)
    expect((await examine(by, '', { env: { PARLEY_DATA_DIR: link } })).of('data_folder').status).toBe('ok')
  })

  test.each([
    ['a folder', (path: string) => void mkdirSync(path)],
    ['without a certificate', (path: string) => writeFileSync(path, 'not a certificate')],
  ])('of certificates that is %s is a warning', async (_, make) => {
    const by = operator()
    const path = join(by.cwd, 'ca.pem')
    make(path)
    const { of } = await examine(by, '', { ...away(), env: { ...away().env, NODE_EXTRA_CA_CERTS: path } })
    expect(of('tls')).toMatchObject({ status: 'warning', detail: expect.stringContaining('are not trusted') })
  })

  test('a folder that others can enter is a warning, and a failure with --strict', async () => {
    const by = operator()
    await by.run('keys list')
    chmodSync(by.dataDir, 0o755)
    const { exitCode, of } = await examine(by)
    expect({ exitCode, status: of('data_folder').status }).toEqual({ exitCode: 0, status: 'warning' })
    expect((await examine(by, '--strict')).exitCode).toBe(20)
  })

  test('a configuration that others can read is a failure', async () => {
    const by = operator()
    await by.run(`profile set ci --url ${url} --api-key-stdin`, { stdin: key })
    chmodSync(join(by.configDir, 'config.json'), 0o644)
    expect((await examine(by)).of('configuration')).toMatchObject({
      status: 'failed',
      hint: `chmod 600 ${join(by.configDir, 'config.json')}`,
    })
  })

  test('permissions are not checked on Windows', async () => {
    const by = await tidyAccount(operator())
    chmodSync(join(by.dataDir, 'credentials.json'), 0o644)
    expect((await examine(by, '', { os: 'win32' })).troubled).toEqual([])
  })

  test('a damaged configuration is reported and does not stop the other checks', async () => {
    const by = operator()
    mkdirSync(by.configDir, { mode: 0o700 })
    writeFileSync(join(by.configDir, 'config.json'), '{', { mode: 0o600 })
    const { exitCode, of, all } = await examine(by)
    expect(exitCode).toBe(20)
    expect(all.some((it) => it.status === 'failed' && it.detail.includes('is not valid JSON'))).toBe(true)
    expect(of('database').status).toBe('ok')
  })
})

describe('the database', () => {
  test('that is damaged is a failure with a fix', async () => {
    const by = operator()
    await by.run('keys list')
    rmSync(join(by.dataDir, 'platform.db-wal'), { force: true })
    truncateSync(join(by.dataDir, 'platform.db'), 8192)
    const { exitCode, of } = await examine(by)
    expect(exitCode).toBe(20)
    expect(of('database')).toMatchObject({ status: 'failed', detail: expect.stringMatching(/damaged|malformed/) })
  })

  test('that was found damaged is reported once, with one full stop', async () => {
    const by = operator({ reopens: true })
    const file = join(by.dataDir, 'platform.db')
    await by.run('keys list')
    rmSync(`${file}-wal`, { force: true })
    const pages = readFileSync(file)
    for (const page of [10, 20, 30, 50, 100]) pages.fill(0xa5, page * 4096, (page + 1) * 4096)
    writeFileSync(file, pages)
    await by.run('server check')
    const { exitCode, stdout, stderr } = await by.run('doctor')
    expect(exitCode).toBe(20)
    expect(stderr).toBe('')
    expect(stdout.match(/move it away to start over/g)).toHaveLength(1)
    expect(stdout).not.toContain('..')
    const voice = await by.run('doctor --voice')
    expect(voice.stderr.match(/is damaged/g)).toHaveLength(1)
  })

  test('that cannot be opened is reported once', async () => {
    const by = operator()
    await by.run('keys list')
    for (const name of ['platform.db-wal', 'platform.db-shm']) rmSync(join(by.dataDir, name), { force: true })
    writeFileSync(join(by.dataDir, 'platform.db'), 'x'.repeat(10_000), { mode: 0o600 })
    const { all } = await examine(by)
    expect(all.filter((it) => it.status === 'failed').map((it) => it.check)).toEqual(['database'])
  })

  test('that is not a database is a failure', async () => {
    const by = operator()
    await by.run('keys list')
    for (const name of ['platform.db-wal', 'platform.db-shm']) rmSync(join(by.dataDir, name), { force: true })
    writeFileSync(join(by.dataDir, 'platform.db'), 'x'.repeat(10_000), { mode: 0o600 })
    expect((await examine(by)).of('database').status).toBe('failed')
  })
})

test('the lock file of a server that ended is a warning', async () => {
  const by = operator()
  await by.run('keys list')
  writeFileSync(
    join(by.dataDir, 'server.json'),
    JSON.stringify({ url: 'http://127.0.0.1:1', pid: 2 ** 30, started_at: 'once' }),
    { mode: 0o600 },
  )
  expect((await examine(by)).of('server')).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('is left over from a server that has ended'),
  })
})

test('a frozen clock is reported', async () => {
  const by = operator()
  await by.run('server clock freeze')
  expect((await examine(by)).of('platform_clock').detail).toContain('parley server clock resume')
})

describe('a remote deployment', () => {
  test('without problems is reached directly over https, and only the end of its key is shown', async () => {
    const { exitCode, troubled, of, all } = await examine(operator(), '', away())
    expect({ exitCode, troubled }).toEqual({ exitCode: 0, troubled: [] })
    expect(of('key').detail).toBe('…WxYz, from PARLEY_API_KEY: Contoso.')
    expect(of('proxy').detail).toBe('Requests go directly to the platform.')
    expect(of('tls').detail).toContain('certificate validation')
    expect(of('clock').status).toBe('ok')
    expect(JSON.stringify(all)).not.toContain(key)
  })

  test('that rejects the key is reachable, and the key is a failure', async () => {
    const { exitCode, of } = await examine(operator(), '', {
      ...away(),
      env: { PARLEY_API_KEY: '1|wrong-wrong-wrong-wrong', PARLEY_BASE_URL: url },
    })
    expect(exitCode).toBe(20)
    expect(of('reach').status).toBe('ok')
    expect(of('key')).toMatchObject({ status: 'failed', hint: expect.stringContaining('parley login') })
  })

  test('without a key is still reachable, and the key is a failure', async () => {
    const { exitCode, of } = await examine(operator(), '', { connect: deployment(), env: { PARLEY_BASE_URL: url } })
    expect(exitCode).toBe(20)
    expect(of('reach').status).toBe('ok')
    expect(of('key')).toMatchObject({ status: 'failed', detail: `Missing API key for ${url}.` })
  })

  test.each([
    ['dns', 'reach'],
    ['refused', 'reach'],
    ['timeout', 'reach'],
    ['tls', 'tls'],
    ['proxy', 'proxy'],
  ] as const)('that is not reachable (%s) is the failure %s with a fix', async (lost, check) => {
    const { exitCode, of } = await examine(operator(), '', away({ lost }))
    expect(exitCode).toBe(20)
    expect(of(check)).toMatchObject({ status: 'failed', hint: expect.any(String) })
  })

  test('that returns errors is a failure', async () => {
    expect((await examine(operator(), '', away({ status: 503 }))).of('reach')).toMatchObject({ status: 'failed' })
  })

  test.each([
    [-3600, 'ahead of'],
    [3600, 'behind'],
  ])('whose clock is %d s off is a warning', async (ahead, words) => {
    expect((await examine(operator(), '', away({ ahead }))).of('clock')).toMatchObject({
      status: 'warning',
      detail: `The clock of this machine is 3600 s ${words} the platform's.`,
    })
  })

  test('that is a Parley server may have a moved clock, which is named', async () => {
    const moved = away({ ahead: 30 * 86_400, capabilities: 'details' })
    expect((await examine(operator(), '', moved)).of('clock')).toMatchObject({
      status: 'warning',
      hint: expect.stringContaining('If the clock of this Parley server was moved'),
    })
    expect((await examine(operator(), '', away({ ahead: 86_400 }))).of('clock').hint).toContain(
      'Synchronize it with NTP',
    )
  })

  test('that uses another vocabulary than the profile is a warning with the command that fixes it', async () => {
    const by = operator()
    await by.run(`profile set ci --url ${url} --api-key-stdin`, { stdin: key })
    const examined = await examine(by, '--profile ci', { connect: deployment({ supports: 'public' }) })
    // The simulated providers of this computer say nothing about the deployment.
    expect(examined.all.filter(({ check }) => check.startsWith('provider_'))).toEqual([])
    const warned = examined.of('vocabulary')
    expect(warned).toMatchObject({ status: 'warning', hint: 'parley profile set ci --vocabulary public' })
    await by.run(warned.hint?.replace('parley ', '') ?? '')
    expect(
      (await examine(by, '--profile ci', { connect: deployment({ supports: 'public' }) })).of('vocabulary').status,
    ).toBe('ok')
    expect(
      (await examine(by, '--profile ci', { connect: deployment({ supports: 'neutral' }) })).of('vocabulary').status,
    ).toBe('warning')
    expect(
      (await examine(by, '--profile ci', { connect: deployment({ supports: 'nothing' }) })).of('vocabulary').detail,
    ).toContain('could not be detected')
  })

  test('is requested through the configured proxy, whose password is not shown', async () => {
    const proxied = { ...away(), env: { ...away().env, HTTPS_PROXY: 'http://me:hush-hush@proxy.example:3128' } }
    const { of, all } = await examine(operator(), '', proxied)
    expect(of('proxy').detail).toBe('Requests go through the proxy http://proxy.example:3128.')
    expect(JSON.stringify(all)).not.toContain('hush-hush')
  })

  test('over plain http is a warning, and so is a missing certificate file', async () => {
    const plain = await examine(operator(), '--insecure', {
      ...away(),
      env: { PARLEY_API_KEY: key, PARLEY_BASE_URL: 'http://assistants.example' },
    })
    expect(plain.of('tls')).toMatchObject({
      status: 'warning',
      detail: 'http://assistants.example uses http, which would send the API key unencrypted.',
    })
    const missing = await examine(operator(), '', {
      ...away(),
      env: { ...away().env, NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem' },
    })
    expect(missing.of('tls')).toMatchObject({ status: 'warning', detail: expect.stringContaining('/nowhere/ca.pem') })
  })
})

test('the profile in use is shown with what chose it, and an address that replaces it as none', async () => {
  const by = operator()
  await by.run(`profile set ci --url ${url} --api-key-stdin`, { stdin: key })
  const connect = deployment({ supports: 'public' })
  const shown = async (flags: string, env = {}): Promise<string> =>
    (await examine(by, flags, { connect, env: { PARLEY_API_KEY: key, ...env } })).of('profile').detail
  expect(await shown('--profile ci')).toBe(`"ci", set by --profile: ${url}.`)
  expect(await shown(`--base-url ${url}`)).toBe(`None: ${url} is used (set by --base-url).`)
  expect(await shown('', { PARLEY_BASE_URL: url })).toBe(`None: ${url} is used (set by PARLEY_BASE_URL).`)
})

test('a missing profile is reported next to the other checks', async () => {
  const { exitCode, of } = await examine(operator(), '--profile nowhere')
  expect(exitCode).toBe(20)
  expect(of('profile')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('Unknown profile "nowhere"'),
  })
  expect(of('database').status).toBe('ok')
})

test('fault rules are reported while they are active', async () => {
  const by = operator()
  await by.run('server faults create numbers.list --status 503 --times 1')
  await by.run('numbers list --retries 0')
  const { exitCode, of } = await examine(by)
  expect({ exitCode, ...of('faults') }).toMatchObject({
    exitCode: 0,
    status: 'warning',
    detail: '1 fault rule makes requests to the local platform fail on purpose. Triggered so far: 1.',
    hint: expect.stringContaining('parley server faults clear'),
  })
  await by.run('server faults clear')
  expect((await examine(by)).all.map((it) => it.check)).not.toContain('faults')
})

test('doctor names a key command that fails, and still checks what needs no key', async () => {
  const by = operator()
  mkdirSync(by.configDir, { recursive: true })
  const profiles = { staging: { base_url: url, api_key_command: 'exit 3' } }
  writeFileSync(join(by.configDir, 'config.json'), JSON.stringify({ profiles }))
  const found = await examine(by, '--profile staging')
  expect(found.of('key')).toMatchObject({ status: 'failed' })
  expect(found.exitCode).toBe(20)
})
