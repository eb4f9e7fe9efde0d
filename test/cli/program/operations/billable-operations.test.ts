import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { TransportError, type TransportReason } from '../../../../src/client/transport/transport.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

const number = '+15005550006'
const line = `numbers buy ${number} --yes`
type Through = NonNullable<RunOptions['through']>

const journalOf = (by: Operator): string => join(by.dataDir, 'spends.ndjson')
const states = async ({ json }: Operator): Promise<string[]> =>
  (await json('ops list')).map((it: { state: string }) => it.state)
const bought = async ({ json }: Operator): Promise<number> =>
  (await json('numbers list')).filter((it: { phone_number: string }) => it.phone_number === number).length
const charged = async ({ json }: Operator): Promise<number> =>
  (await json('server accounts ledger 1')).filter((it: { kind: string }) => it.kind.startsWith('card_')).length

/** Lets the platform do its work and loses the answer. */
const commitThen =
  (reason: TransportReason): Through =>
  async (handle, request) => {
    const answer = await handle(request)
    if (request.method === 'POST') throw new TransportError(reason, 'socket hang up', true)
    return answer
  }

/** Loses the request before the platform has it. */
const lose =
  (sent: boolean): Through =>
  async (handle, request) => {
    if (request.method === 'POST') throw new TransportError(sent ? 'reset' : 'refused', 'lost', sent)
    return handle(request)
  }

const answerWith =
  (status: number, body: string): Through =>
  async (handle, request) =>
    request.method === 'POST' ? { status, headers: { 'content-type': 'text/html' }, body } : handle(request)

describe('a purchase', () => {
  test('is in the journal on disk before its request is sent, and marked done after', async () => {
    const by = operator()
    let written = ''
    await by.run(line, {
      through: async (handle, request) => {
        if (request.method === 'POST') written = readFileSync(journalOf(by), 'utf8')
        return handle(request)
      },
    })
    const intent = JSON.parse(written)
    expect(intent).toMatchObject({
      endpoint: 'numbers.buy',
      input: { phone_number: number },
      profile: 'local',
      baseUrl: 'embedded:',
    })
    expect(intent.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/)
    expect(statSync(journalOf(by)).mode & 0o777).toBe(0o600)
    expect(await by.json('ops list')).toEqual([
      {
        id: intent.intent,
        at: '2026-08-04T12:00:00.000Z',
        endpoint: 'numbers.buy',
        target: number,
        input: { phone_number: number },
        profile: 'local',
        base_url: 'embedded:',
        idempotency_key: intent.idempotencyKey,
        state: 'done',
        settled_at: '2026-08-04T12:00:00.000Z',
        detail: { status: 201, requestId: expect.any(String), costUsd: 1.15 },
        amount_usd: 1.15,
        minute_price_usd: null,
      },
    ])
    expect(await by.json('ops list --open')).toEqual([])
  })

  test('is refused before any request if the journal cannot be written', async () => {
    const by = operator()
    await by.run('keys list')
    mkdirSync(journalOf(by))
    const { exitCode, stdout, stderr, requests } = await by.run(line)
    expect({ exitCode, stdout, requests }).toEqual({ exitCode: 2, stdout: '', requests: [] })
    expect(stderr).toMatch(
      /error: Could not (?:read|write) the operations journal: .*spends\.ndjson \(EISDIR\)\. Nothing was sent\./,
    )
    expect(await bought(by)).toBe(0)
  })

  test.each(['reset', 'timeout', 'truncated', 'other'] as const)(
    'whose response is lost (%s) happens once, is reported as unknown, and is found by reconcile',
    async (reason) => {
      const by = operator()
      const lost = await by.run(`${line} --json`, { through: commitThen(reason) })
      expect(lost).toMatchObject({ exitCode: 12, stdout: '' })
      expect(lost.requests.filter((it) => it.startsWith('POST'))).toHaveLength(1)
      expect(JSON.parse(lost.stderr).error).toMatchObject({
        code: 'outcome_unknown',
        message: expect.stringContaining('The outcome of the request is unknown.'),
        next: ['parley ops list', 'parley ops reconcile'],
      })
      expect([await states(by), await bought(by), await charged(by)]).toEqual([['unknown'], 1, 1])
      expect(await by.json('ops list --open')).toHaveLength(1)
      const found = await by.run('ops reconcile --json')
      expect(found).toMatchObject({ exitCode: 0 })
      expect(JSON.parse(found.stdout)).toMatchObject([
        { state: 'done', detail: { reconciled: 'The purchase was carried out.' } },
      ])
      // It asks by the key what was answered, which buys nothing: see the counts below.
      expect(found.requests.filter((it) => !it.startsWith('GET'))).toEqual(['POST /api/user/phone-numbers/purchase'])
      expect([await states(by), await bought(by), await charged(by)]).toEqual([['done'], 1, 1])
      expect(await by.run('ops reconcile')).toMatchObject({
        exitCode: 0,
        stdout: '',
        stderr: 'Nothing to reconcile.\n',
      })
    },
  )

  test('that never arrived stays unknown for a while, and is then reported as refused', async () => {
    const by = operator()
    expect(await by.run(line, { through: lose(true) })).toMatchObject({ exitCode: 12 })
    expect(await by.run('ops reconcile')).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining('Run this command again in two minutes.'),
    })
    by.wait(121_000)
    expect(await by.run('ops reconcile -o id')).toMatchObject({ exitCode: 0 })
    expect([await states(by), await bought(by), await charged(by)]).toEqual([['refused'], 0, 0])
  })

  test('of another account is not resolved by this account', async () => {
    const by = operator()
    const second = (
      await by.run('server accounts create --name Second --payment-method pm_card_visa -o id -q')
    ).stdout.trim()
    expect(await by.run(line, { env: { PARLEY_API_KEY: second }, through: commitThen('reset') })).toMatchObject({
      exitCode: 12,
    })
    by.wait(121_000)
    expect(await by.run('ops reconcile')).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining('another API key'),
    })
    expect(await states(by)).toEqual(['unknown'])
    expect(await by.run('ops reconcile', { env: { PARLEY_API_KEY: second } })).toMatchObject({ exitCode: 0 })
    expect(await states(by)).toEqual(['done'])
  })

  test('whose connection never opened is refused, and leaves no open entry', async () => {
    const by = operator()
    const { exitCode, requests } = await by.run(line, { through: lose(false) })
    expect({ exitCode, tries: requests.filter((it) => it.startsWith('POST')).length }).toEqual({
      exitCode: 9,
      tries: 4,
    })
    expect([await states(by), await bought(by)]).toEqual([['refused'], 0])
  })

  test.each([
    ['a proxy’s page', 502, '<h1>Bad gateway</h1>'],
    ['a status alone', 503, ''],
    ['a timeout of a proxy', 504, '{"message":"upstream timed out"}'],
    ['an error that the specification does not have', 500, '{"message":"Server Error"}'],
    ['a success that says nothing', 201, ''],
    ['a success that breaks off', 201, '{"message":"Phone number purch'],
    ['a success without the number', 201, '{"message":"ok"}'],
  ])('answered with %s is unknown, and not sent again', async (_, status, body) => {
    const by = operator()
    const { exitCode, stdout, requests } = await by.run(line, { through: answerWith(status, body) })
    expect({ exitCode, stdout, tries: requests.filter((it) => it.startsWith('POST')).length }).toEqual({
      exitCode: 12,
      stdout: '',
      tries: 1,
    })
    expect(await states(by)).toEqual(['unknown'])
  })

  test('interrupted in flight has an unknown outcome, and is found by reconcile', async () => {
    const by = operator()
    const interrupt = new AbortController()
    const { exitCode, stdout } = await by.run(line, {
      interrupt,
      through: async (handle, request) => {
        const answer = await handle(request)
        if (request.method === 'POST') {
          interrupt.abort(130)
          // The answer never comes.
          return new Promise<never>(() => {})
        }
        return answer
      },
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: '' })
    expect(await states(by)).toEqual(['unknown'])
    expect(await by.run('ops reconcile')).toMatchObject({ exitCode: 0 })
    expect([await states(by), await bought(by)]).toEqual([['done'], 1])
  })

  test('through "parley api" is in the journal as well', async () => {
    const by = operator()
    expect(
      await by.run(`api numbers.buy --data '{phone_number: ${number}}' --yes`, { through: commitThen('reset') }),
    ).toMatchObject({ exitCode: 12 })
    expect(await states(by)).toEqual(['unknown'])
  })

  test.each([
    ['a plain one', {}],
    ['one that says when to come back', { 'retry-after': '1', 'x-ratelimit-remaining': '0' }],
  ])('answered with 429 by a proxy, %s, is not sent again, because it may have been made', async (_, headers) => {
    const by = operator()
    const lost = await by.run(line, {
      through: async (handle, request) => {
        const answer = await handle(request)
        return request.method === 'POST'
          ? { status: 429, headers, body: '{"message":"Too Many Attempts."}' }
          : { ...answer, headers: {} }
      },
    })
    expect([lost.exitCode, lost.requests.filter((it) => it.startsWith('POST')).length]).toEqual([12, 1])
    expect([await states(by), await bought(by), await charged(by)]).toEqual([['unknown'], 1, 1])
    expect(await by.run('ops reconcile')).toMatchObject({ exitCode: 0 })
    expect(await states(by)).toEqual(['done'])
  })

  test('answered with a redirect reports its target', async () => {
    const by = operator()
    const { exitCode, stderr } = await by.run(line, {
      through: async (handle, request) =>
        request.method === 'POST'
          ? { status: 308, headers: { location: 'https://elsewhere.example/api' }, body: '' }
          : handle(request),
    })
    expect([exitCode, stderr]).toEqual([
      12,
      expect.stringContaining('returned 308, a redirect to https://elsewhere.example/api.'),
    ])
  })

  test('refused by a proxy is not retried, and the proxy is named', async () => {
    const by = operator()
    const { exitCode, stderr, requests } = await by.run(line, {
      through: async () => {
        throw new TransportError(
          'proxy',
          'http://proxy.example:3128 wants a name and a password (407)',
          false,
          undefined,
          true,
        )
      },
    })
    expect([exitCode, requests.length, stderr]).toEqual([
      9,
      1,
      expect.stringContaining('http://proxy.example:3128 wants a name and a password (407)'),
    ])
    const answered = await by.run(line, { through: answerWith(407, '<h1>Proxy Authentication Required</h1>') })
    expect([answered.exitCode, answered.stderr]).toEqual([
      9,
      expect.stringMatching(/The proxy of .* requires a user name and password \(407\)/),
    ])
    expect([await states(by), await bought(by)]).toEqual([['refused', 'refused'], 0])
  })

  test('that is rate limited is retried with the same key if the platform supports idempotency', async () => {
    const by = operator()
    const keys: (string | undefined)[] = []
    const { exitCode, stderr } = await by.run(line, {
      through: async (handle, request) => {
        if (request.method !== 'POST') return handle(request)
        keys.push(request.headers['idempotency-key'])
        return keys.length < 3
          ? {
              status: 429,
              headers: { 'retry-after': '1', 'parley-capabilities': 'idempotency' },
              body: '{"message":"Too Many Attempts."}',
            }
          : handle(request)
      },
    })
    expect(exitCode).toBe(0)
    expect(stderr).toContain('The platform returned 429. Retrying in 1 s.')
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
    expect([await bought(by), await charged(by)]).toEqual([1, 1])
  })
})

test('reads have no journal entry', async () => {
  const by = operator()
  for (const command of [
    'numbers search',
    'numbers list',
    `numbers buy ${number}`,
    `numbers buy ${number} --dry-run`,
    'tools update 1 --tool-timeout 3',
  ])
    await by.run(command)
  expect(existsSync(journalOf(by))).toBe(false)
})

test('open entries of another profile are left to a run with that profile', async () => {
  const by = operator()
  const connect: RunOptions['connect'] = async () => ({
    base: 'https://platform.example',
    close: async () => {},
    send: async (request) => {
      if (request.method === 'POST') throw new TransportError('reset', 'reset', true)
      return { status: 200, headers: {}, body: JSON.stringify({ data: [{ id: 1, phone_number: number }] }) }
    },
  })
  await by.run('profile set staging --url https://platform.example --api-key-stdin', {
    stdin: '1|abcdefghijklmnopqrstuvwxyz',
  })
  expect(await by.run(`${line} -p staging`, { connect })).toMatchObject({ exitCode: 12 })
  expect(await by.run('ops reconcile')).toMatchObject({
    exitCode: 12,
    requests: [],
    stderr: expect.stringContaining('Run this command with --profile staging'),
  })
  expect(await by.run('ops reconcile -p staging', { connect })).toMatchObject({ exitCode: 0 })
  expect(await states(by)).toEqual(['done'])
})

test('open entries of a URL without a profile are reported with that URL', async () => {
  const by = operator()
  const url = 'https://platform.example'
  const connect: RunOptions['connect'] = async () => ({
    base: url,
    send: async () => {
      throw new TransportError('reset', 'lost', true)
    },
    close: async () => {},
  })
  const lost = await by.run(`numbers buy ${number} --yes --base-url ${url}`, {
    connect,
    env: { PARLEY_API_KEY: '1|x' },
  })
  expect(lost).toMatchObject({ exitCode: 12 })
  const { exitCode, stderr } = await by.run('ops reconcile')
  expect(exitCode).toBe(12)
  expect(stderr).toContain(`Run this command with --base-url ${url}.`)
  expect(stderr).not.toContain('--profile')
})
