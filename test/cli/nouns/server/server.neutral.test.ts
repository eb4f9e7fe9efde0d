import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseDrainLimits, parseRateLimit } from '../../../../src/cli/nouns/server/start-settings.ts'
import { type Operator, operator, type Run, today } from '../../../support/operator.ts'

interface Serving {
  readonly url: string
  readonly ended: Promise<Run>
  readonly interrupt: AbortController
}

/** Starts a server in this process, and ends it when `use` is done with it. */
async function serving<T>(by: Operator, flags: string, use: (server: Serving) => Promise<T>): Promise<T> {
  const interrupt = new AbortController()
  const ended = by.run(`server start --port 0 ${flags}`, { interrupt })
  const lock = join(by.dataDir, 'server.json')
  try {
    await expect.poll(() => existsSync(lock), { interval: 5 }).toBe(true)
    return await use({ url: JSON.parse(readFileSync(lock, 'utf8')).url, ended, interrupt })
  } finally {
    interrupt.abort(130)
    await ended
  }
}

describe('a server', () => {
  test('prints its address, serves the data of the folder, and exits cleanly on request', async () => {
    const by = operator()
    await serving(by, '', async ({ url, interrupt, ended }) => {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      expect(statSync(join(by.dataDir, 'server.json')).mode & 0o777).toBe(0o600)
      const { key } = JSON.parse(readFileSync(join(by.dataDir, 'credentials.json'), 'utf8'))
      const answer = await fetch(`${url}/api/user/api-keys`, { headers: { authorization: `Bearer ${key}` } })
      expect(await answer.json()).toMatchObject({ api_keys: [{ id: 1 }, { id: 2 }, { id: 3 }] })
      interrupt.abort(130)
      const { exitCode, stdout, stderr } = await ended
      expect(exitCode).toBe(0)
      expect(stdout).toBe(`Listening on ${url}\n`)
      expect(stderr).toContain('Stopping.\n')
    })
    expect(existsSync(join(by.dataDir, 'server.json'))).toBe(false)
  })

  test('is used by commands on its folder while it runs, and by control commands too', async () => {
    const by = operator()
    await serving(by, '', async ({ url }) => {
      expect(await by.json('whoami --fields via,base_url,name')).toEqual({
        via: 'local_server',
        base_url: 'embedded:',
        name: 'Northwind Dental',
      })
      expect(await by.json('server status --fields running,url')).toEqual({ running: true, url })
      expect(await by.json('numbers buy +15005550006 --yes')).toMatchObject({ phone_number: '+15005550006' })
      expect(await by.run('server clock advance 31d')).toMatchObject({ exitCode: 0 })
      expect(await by.run('tools get 99')).toMatchObject({ exitCode: 4 })
    })
    expect(await by.json('whoami --fields via')).toEqual({ via: 'embedded' })
    expect(await by.run('numbers list -o tsv --fields phone_number')).toMatchObject({
      stdout: expect.stringContaining('+15005550006'),
    })
  })

  test('runs once for a folder, and can be stopped by another command', async () => {
    const by = operator()
    await serving(by, '', async ({ url, ended }) => {
      expect(await by.run('server start --port 0')).toMatchObject({
        exitCode: 5,
        stdout: '',
        stderr: expect.stringContaining(`is already running for this data folder: ${url}`),
      })
      expect(await by.run('server stop')).toMatchObject({ exitCode: 0, stdout: `Stopped ${url}.\n` })
      expect(await ended).toMatchObject({ exitCode: 0 })
    })
    expect(await by.run('server stop')).toMatchObject({
      exitCode: 0,
      stdout: 'No server is running for this data folder.\n',
    })
  })

  test('whose process died does not prevent a new one', async () => {
    const by = operator()
    await by.run('keys list')
    writeFileSync(
      join(by.dataDir, 'server.json'),
      JSON.stringify({ url: 'http://127.0.0.1:9', pid: 2 ** 22 + 1, started_at: '2026-01-01T00:00:00Z' }),
    )
    expect(await by.json('whoami --fields via')).toEqual({ via: 'embedded' })
    writeFileSync(join(by.dataDir, 'server.json'), 'torn')
    expect(await by.json('whoami --fields via')).toEqual({ via: 'embedded' })
  })

  test('whose process crashed is not stopped when another process has its id now', async () => {
    const by = operator()
    await by.run('keys list')
    writeFileSync(
      join(by.dataDir, 'server.json'),
      JSON.stringify({ url: 'http://127.0.0.1:9', pid: process.pid, started_at: '2026-01-01T00:00:00Z' }),
    )
    expect(await by.json('server status --fields running')).toEqual({ running: false })
    expect(await by.run('server stop')).toMatchObject({
      exitCode: 0,
      stdout: 'No server is running for this data folder.\n',
    })
  })

  test('can limit each account, returns the time to wait, and clients wait', async () => {
    const by = operator()
    await serving(by, '--rate-limit 2/60', async () => {
      expect((await by.run('tools list')).exitCode).toBe(0)
      expect((await by.run('tools list')).exitCode).toBe(0)
      const limited = await by.run('tools list --retries 1')
      expect(limited).toMatchObject({ exitCode: 7, stdout: '' })
      expect(limited.stderr.split('\n')[0]).toBe('The platform returned 429. Retrying in 1 min.')
      expect(JSON.parse((await by.run('tools list --retries 1 --json')).stderr).error).toMatchObject({
        message: 'Too Many Attempts.',
        status: 429,
        retry_after: 60,
      })
      by.wait(60_000)
      expect((await by.run('tools list')).exitCode).toBe(0)
      await by.run('server clock freeze')
      await by.run('tools list')
      const frozen = await by.run('tools list')
      expect(frozen).toMatchObject({ exitCode: 7, stderr: expect.stringContaining('parley server clock advance 1m') })
      expect(frozen.requests).toHaveLength(1)
    })
  })

  test.each([
    ['--rate-limit 50/60', '50'],
    ['--host 127.0.0.1', null],
    ['', null],
  ])('started with "%s" has the limit %s for each account, and says so', async (flags, limit) => {
    const by = operator()
    await serving(by, flags, async ({ url, interrupt, ended }) => {
      const { key } = JSON.parse(readFileSync(join(by.dataDir, 'credentials.json'), 'utf8'))
      const { headers } = await fetch(`${url}/api/user/api-keys`, { headers: { authorization: `Bearer ${key}` } })
      expect(headers.get('x-ratelimit-limit')).toBe(limit)
      interrupt.abort(130)
      const { stderr } = await ended
      expect(stderr.includes('Rate limit of each account: ')).toBe(limit !== null)
      if (limit !== null) expect(stderr).toContain(`Rate limit of each account: ${limit} requests in 60 s.`)
    })
  })

  test.each([
    [undefined, '0.0.0.0', 6000],
    [undefined, '192.0.2.7', 6000],
    [undefined, '::', 6000],
    [undefined, '::1', undefined],
    [undefined, 'localhost', undefined],
    ['off', '0.0.0.0', undefined],
    ['100/60', '127.0.0.1', 100],
  ])('with --rate-limit %s on %s has the limit %s', (flag, host, max) => {
    expect(parseRateLimit(flag, host).limit?.max).toBe(max)
  })

  test.each([
    ['--port 70000', 'Invalid --port "70000". Use a number from 0 to 65535.'],
    ['--port x', 'Invalid --port "x". Use a number'],
    ['--seed x', 'Invalid --seed "x". Use a whole number'],
    ['--rate-limit 5', 'Invalid --rate-limit "5". Use requests/seconds'],
    ['--chat-limits 20,60', 'Invalid --chat-limits "20,60". Use four numbers'],
    ['--seed 1 --host 0.0.0.0', 'Use a loopback address'],
  ])('is not started with %s', async (flags, sentence) => {
    const { exitCode, stdout, stderr } = await operator().run(`server start --port 0 ${flags}`)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(sentence)
  })

  test('does not listen on an address of another machine, or with a seed on any address but loopback', async () => {
    const line = 'server start --port 0 --host 192.0.2.1'
    expect(await operator({ fresh: true }).run(line)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('is not an address of this machine'),
    })
    expect(await operator().run(line)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('Use a loopback address'),
    })
  })
})

describe('the sample data of a data folder', () => {
  test('is created by the first command, and is the same for the same seed, including secrets', async () => {
    const key = async (flags: string) => (await operator({ fresh: true }).json(`server seed ${flags}`)).key
    expect(await key('--seed 11')).toBe(await key('--seed 11'))
    expect(await key('--seed 11')).not.toBe(await key('--seed 12'))
    expect(await key('')).not.toBe(await key(''))
    const by = operator({ fresh: true })
    expect(await by.json('keys list')).toHaveLength(3)
    expect(statSync(by.dataDir).mode & 0o777).toBe(0o700)
    expect(statSync(join(by.dataDir, 'credentials.json')).mode & 0o777).toBe(0o600)
  })

  test('is not seeded twice, and is reset only after confirmation', async () => {
    const by = operator()
    expect(await by.run('server seed')).toMatchObject({
      exitCode: 5,
      stdout: '',
      stderr: expect.stringContaining('This platform already has data.'),
    })
    await by.run('keys create --name mine')
    expect(await by.run('server reset')).toMatchObject({ exitCode: 10, stdout: '' })
    expect(await by.json('keys list')).toHaveLength(4)
    const { key } = await by.json('server reset --seed 11 --yes')
    expect(await by.json('keys list')).toHaveLength(3)
    expect(key).toBe((await operator({ fresh: true }).json('server seed --seed 11')).key)
    expect(await by.json('server status --fields seed,accounts')).toEqual({ seed: 11, accounts: 1 })
  })

  test('belongs to the local profile: another platform cannot be controlled without its token', async () => {
    const by = operator()
    const env = { PARLEY_API_KEY: '1|abcdefghijklmnopqrstuvwxyz' }
    await by.run('profile set elsewhere --url https://platform.example')
    for (const line of [
      'reset --yes',
      'seed',
      'status',
      'stop',
      'accounts list',
      'accounts ledger Contoso',
      'clock get',
      'clock advance 1d',
    ]) {
      for (const [where, out] of [
        ['--base-url https://platform.example', 'Remove --base-url'],
        ['-p elsewhere', 'Pass --profile local'],
      ])
        expect(await by.run(`server ${line} ${where}`, { env }), line).toMatchObject({
          exitCode: 2,
          stdout: '',
          requests: [],
          stderr: expect.stringMatching(
            new RegExp(
              `works only on the local platform, but https://platform\\.example .* is a remote deployment\\.\nhint: ${out}`,
            ),
          ),
        })
    }
    await serving(by, '', async ({ url }) => {
      const { control } = JSON.parse(readFileSync(join(by.dataDir, 'credentials.json'), 'utf8'))
      const elsewhere = { PARLEY_CONTROL_TOKEN: control, PARLEY_DATA_DIR: join(by.cwd, 'other') }
      expect(await by.json(`server accounts list --base-url ${url} --fields name`, { env: elsewhere })).toEqual([
        { name: 'Northwind Dental' },
      ])
      // A question names the platform whose data are lost.
      for (const line of ['server reset', 'server snapshot restore before']) {
        const refused = await by.run(`${line} --base-url ${url}`, { env: elsewhere })
        expect(refused.exitCode, refused.stderr).toBe(10)
        expect(refused.stderr).toContain(`the platform at ${url}`)
      }
      expect(await by.run(`server stop --base-url ${url}`, { env: elsewhere })).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('on the machine where it runs'),
      })
      expect(
        await by.run(`server accounts list --base-url ${url}`, {
          env: { ...elsewhere, PARLEY_CONTROL_TOKEN: 'wrong' },
        }),
      ).toMatchObject({ exitCode: 3 })
    })
  })
})

describe('accounts', () => {
  test('are created with a key each, and changed', async () => {
    const by = operator()
    const { key, ...account } = await by.json(
      'server accounts create --name Direct --kind direct --balance 100 --minute-rate 0.2 --email owner@direct.example',
    )
    expect(key).toMatch(/^4\|\w{40}$/)
    expect(account).toEqual({
      id: 2,
      name: 'Direct',
      email: 'owner@direct.example',
      kind: 'direct',
      balance: 100,
      minute_rate: 0.2,
      payment_method: null,
      numbers: 0,
      max_campaigns: null,
      created_at: new Date(today).toISOString().replace('Z', '000Z'),
    })
    expect(await by.json('server accounts update Direct --top-up 12.5 --payment-method pm_card_visa')).toMatchObject({
      balance: 112.5,
      payment_method: 'pm_card_visa',
    })
    expect(
      (await by.json('server accounts ledger 2')).map((entry: Record<string, unknown>) => [
        entry.kind,
        entry.unit,
        entry.amount,
        entry.balance_after,
      ]),
    ).toEqual([
      ['top_up', 'minute', 100, 100],
      ['top_up', 'minute', 12.5, 112.5],
    ])
    expect((await by.run('server accounts create --name x -o id')).stdout).toMatch(/^5\|\w{40}\n$/)
  })

  test('of several, a simulation needs one, and names the flag', async () => {
    const by = operator()
    await by.run('server accounts create --name Direct')
    const receipt = 'server simulate receipt --message-sid MM1 --status delivered'
    expect((await by.run(receipt)).stderr).toContain('there are several accounts. Pass the id of one: --account')
    expect((await by.run(`${receipt} --account 1`)).stderr).not.toContain('several accounts')
  })

  test.each([
    ['create --name x --payment-method visa', 6],
    ['create --name x --balance -1', 6],
    ['create --name x --kind tenant --email nobody', 6],
    ['create', 2],
    ['update 9 --top-up 1', 4],
    ['ledger 9', 4],
  ])('with invalid values are refused: %s exits with %i', async (line, code) => {
    expect(await operator().run(`server accounts ${line}`)).toMatchObject({ exitCode: code, stdout: '' })
  })
})

describe('server status', () => {
  test('creates no platform in a new folder, so that the seed of "server start" is used', async () => {
    const by = operator({ fresh: true, supports: 'neutral' })
    const fresh = await by.run('server status')
    expect(fresh).toMatchObject({
      exitCode: 0,
      requests: [],
      stderr: expect.stringContaining('No local platform in this folder yet.'),
    })
    expect(await by.json('server status --fields running,accounts,seed')).toEqual({
      running: false,
      accounts: 0,
      seed: null,
    })
    expect(existsSync(by.dataDir)).toBe(false)
    const interrupt = new AbortController()
    const serving = by.run('server start --port 0 --seed 7', { interrupt })
    await expect.poll(async () => (await by.json('server status --fields seed,accounts')).seed).toBe(7)
    const { url } = await by.json('server status --fields url')
    expect((await by.run('server status -o id')).stdout).toBe(`${url}\n`)
    interrupt.abort(143)
    await serving
    expect(await by.run('server status -o id')).toMatchObject({ exitCode: 0, stdout: '' })
  })
})

describe('the clock of a server', () => {
  const clockOf = async (by: Operator) => (await by.json('server clock show')) as { now: string; frozen: boolean }
  const march = '2027-03-01T09:00:00.000000Z'

  test('is frozen at --clock, and a reset returns to that time or to another one', async () => {
    const by = operator()
    await serving(by, '--seed 7 --clock 2027-03-01T09:00:00Z', async () => {
      expect(await clockOf(by)).toMatchObject({ now: march, frozen: true })
      await by.run('server clock advance 31d')
      await by.run('server reset --seed 7 --yes')
      expect(await clockOf(by)).toMatchObject({ now: march, frozen: true })
      await by.run('server reset --seed 7 --clock 2028-01-01T00:00:00+01:00 --yes')
      expect(await clockOf(by)).toMatchObject({ now: '2027-12-31T23:00:00.000000Z', frozen: true })
    })
  })

  test('of a platform without a server returns to real time with a reset', async () => {
    const by = operator()
    await by.run('server clock freeze --at 2027-03-01T09:00:00Z')
    await by.run('server reset --yes')
    expect(await clockOf(by)).toMatchObject({ frozen: false })
  })

  test.each(['server start --port 0 --clock soon', 'server reset --yes --clock 2027-02-31T99:00'])(
    'is not set to an invalid time: %s',
    async (line) => {
      const { exitCode, stderr } = await operator().run(line)
      expect(exitCode).toBe(2)
      expect(stderr).toMatch(/Invalid --clock "[^"]+"\. Use ISO 8601, such as 2027-03-01T09:00:00Z\./)
    },
  )
})

test.each([
  [{}, { delayMs: 0, limitMs: 30_000 }],
  [{ drainDelay: '5' }, { delayMs: 5000, limitMs: 30_000 }],
  [{ drainLimit: '0' }, { delayMs: 0, limitMs: 0 }],
  [
    { drainDelay: '1.5', drainLimit: '2' },
    { delayMs: 1500, limitMs: 2000 },
  ],
])('a server stops with the delays %j: %j', (flags, limits) => {
  expect(parseDrainLimits(flags)).toEqual(limits)
})

test.each([{ drainDelay: '30' }, { drainDelay: '2', drainLimit: '2' }, { drainDelay: '9', drainLimit: '2' }])(
  'a delay that is not shorter than the limit is refused: %j',
  (flags) => {
    expect(() => parseDrainLimits(flags)).toThrow('must be shorter than --drain-limit')
  },
)
