import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Transport } from '../../../../src/client/transport/transport.ts'
import { TransportError } from '../../../../src/client/transport/transport.ts'
import { publicVocabulary } from '../../../../src/contract/vocabulary/public-vocabulary.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

const url = 'https://assistants.example'
const key = '12|AbCdEfGhIjKlMnOpQrStUvWxYz'

interface Deployment {
  /** The key it takes. */
  readonly takes?: string
  readonly supports?: 'neutral' | 'public'
}

/** A remote deployment that knows the owner of each key, and where its senders are. */
const deployment =
  ({ takes = key, supports = 'neutral' }: Deployment = {}): NonNullable<RunOptions['connect']> =>
  async (base): Promise<Transport> => ({
    base,
    async send({ url: path, headers }) {
      const json = (status: number, body: unknown) => ({
        status,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (headers.authorization !== `Bearer ${takes}`) return json(401, { message: 'Unauthenticated.' })
      if (path === '/api/user/me')
        return json(200, { name: 'Contoso', email: 'ops@contoso.example', total_balance: 12.5 })
      const word = supports === 'public' ? publicVocabulary.paths.messaging : 'messaging'
      return path.startsWith(`/api/user/${word}/senders`)
        ? json(200, { data: [] })
        : json(404, { message: 'Not Found' })
    },
    close: async () => {},
  })

const configuration = (by: Operator) => {
  const file = join(by.configDir, 'config.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

test('prompts for a name, a URL and a hidden key, saves them readable by their owner only, and uses them from then on', async () => {
  const by = operator()
  const { exitCode, stdout, stderr, asked, requests } = await by.run('login', {
    connect: deployment(),
    answers: [
      ['Profile name:', 'production'],
      ['Base URL of the platform:', url],
      ['API key:', ` ${key} `],
    ],
  })
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: `Signed in to ${url} as Contoso. Saved as profile "production".\n`,
  })
  expect(asked).toEqual(['Profile name:', 'Base URL of the platform:', 'API key:'])
  expect(requests[0]).toBe('GET /api/user/me')
  expect(stdout + stderr).not.toContain(key)
  expect(configuration(by)).toEqual({
    current: 'production',
    profiles: { production: { base_url: url, api_key: key } },
  })
  expect(statSync(join(by.configDir, 'config.json')).mode & 0o777).toBe(0o600)
  expect(statSync(by.configDir).mode & 0o777).toBe(0o700)
  expect(await by.json('whoami', { connect: deployment() })).toMatchObject({ name: 'Contoso', base_url: url })
})

test('a script passes everything at once and gets an object without the key', async () => {
  const by = operator()
  const { exitCode, stdout } = await by.run(`login ci --url ${url} --api-key-stdin --json`, {
    stdin: `${key}\n`,
    connect: deployment(),
  })
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    profile: 'ci',
    base_url: url,
    name: 'Contoso',
    email: 'ops@contoso.example',
    total_balance: 12.5,
    key: '…WxYz',
    vocabulary: null,
    vocabulary_source: 'detected',
  })
})

test('a rejected key is not saved, and the previous key stays', async () => {
  const by = operator()
  const refused = await by.run(`login ci --url ${url} --api-key-stdin`, {
    stdin: '1|refused-refused-refused',
    connect: deployment(),
  })
  expect(refused).toMatchObject({ exitCode: 3, stdout: '' })
  expect(refused.stderr).toContain(`${url} rejected the API key`)
  expect(refused.stderr).toContain('Nothing was saved.')
  expect(configuration(by)).toBeUndefined()
  await by.run(`login ci --url ${url} --api-key-stdin`, { stdin: key, connect: deployment() })
  const before = configuration(by)
  expect(
    await by.run('login ci --api-key-stdin', { stdin: '1|refused-refused-refused', connect: deployment() }),
  ).toMatchObject({ exitCode: 3 })
  expect(configuration(by)).toEqual(before)
})

test('a platform that does not answer saves nothing', async () => {
  const by = operator()
  const anonymous: NonNullable<RunOptions['connect']> = async (base) => ({
    base,
    send: async () => {
      throw new TransportError('dns', 'not found', false)
    },
    close: async () => {},
  })
  const { exitCode, stderr } = await by.run(`login ci --url ${url} --api-key-stdin --retries 0`, {
    stdin: key,
    connect: anonymous,
  })
  expect(exitCode).toBe(9)
  expect(stderr).toContain('Nothing was saved.')
  expect(configuration(by)).toBeUndefined()
})

test.each([
  ['while the key is checked', 1],
  ['while it is found out how the platform spells things', 2],
])('Ctrl-C %s ends with one line and saves nothing', async (_, nth) => {
  const by = operator()
  const interrupt = new AbortController()
  let asked = 0
  const through: RunOptions['through'] = (handle, request) => {
    if (++asked === nth) interrupt.abort(130)
    return handle(request)
  }
  const { exitCode, stdout, stderr } = await by.run(`login ci --url ${url} --api-key-stdin`, {
    stdin: key,
    connect: deployment(),
    through,
    interrupt,
  })
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 130,
    stdout: '',
    stderr: 'Interrupted. Nothing was saved.\n',
  })
  expect(configuration(by)).toBeUndefined()
})

test('signing in again needs only a new key, and leaves the other settings of the profile', async () => {
  const by = operator()
  await by.run(`profile set ci --url ${url} --api-key-command "echo nothing" --protected`)
  expect(await by.run('login ci --api-key-stdin', { stdin: key, connect: deployment() })).toMatchObject({ exitCode: 0 })
  expect(configuration(by).profiles.ci).toEqual({ base_url: url, api_key: key, protected: true })
})

test('the vocabulary of a deployment is detected, or the given one is used', async () => {
  const by = operator()
  const shown = await by.run(`login ci --url ${url} --api-key-stdin`, {
    stdin: key,
    connect: deployment({ supports: 'public' }),
  })
  expect(shown.stderr).toContain(
    'Vocabulary: public, because it answers /api/user/whatsapp/senders and not /api/user/messaging/senders.',
  )
  expect(configuration(by).profiles.ci.vocabulary).toBe('public')
  const given = await by.run(`login other --url ${url} --api-key-stdin --vocabulary neutral`, {
    stdin: key,
    connect: deployment({ supports: 'public' }),
  })
  expect(given.requests).toEqual(['GET /api/user/me'])
  expect(given.stderr).toContain('Vocabulary: neutral (from --vocabulary).')
  expect(configuration(by).profiles.other).not.toHaveProperty('vocabulary')
  const again = await by.run('login ci --api-key-stdin', { stdin: key, connect: deployment({ supports: 'public' }) })
  expect(again.stderr).toContain('Vocabulary: public (unchanged).')
  const neutral = await by.run(`login third --url ${url} --api-key-stdin`, { stdin: key, connect: deployment() })
  expect(neutral.stderr).toContain('Vocabulary: neutral, because it answers /api/user/messaging/senders.')
  const mute: NonNullable<RunOptions['connect']> = async (base, more) => {
    const there = await deployment()(base, more)
    return {
      ...there,
      send: (request, options) =>
        request.url.includes('senders')
          ? there.send({ ...request, url: '/nowhere' }, options)
          : there.send(request, options),
    }
  }
  const unsure = await by.run(`login fourth --url ${url} --api-key-stdin --json`, { stdin: key, connect: mute })
  expect(JSON.parse(unsure.stdout)).toMatchObject({ vocabulary: null, vocabulary_source: 'default' })
})

test('another account of the local platform signs in at embedded:', async () => {
  const by = operator()
  const { token } = (await by.json('keys create --name second')) as { token: string }
  expect(await by.run('login second --url embedded: --api-key-stdin', { stdin: token })).toMatchObject({ exitCode: 0 })
  expect(await by.json('whoami')).toMatchObject({ profile: 'second', name: 'Northwind Dental' })
})

test('a key in the environment that overrides the profile causes a warning, and the typed key is checked', async () => {
  const by = operator({ env: { PARLEY_API_KEY: '9|another-another-another' } })
  const { exitCode, stderr } = await by.run(`login ci --url ${url} --api-key-stdin`, {
    stdin: key,
    connect: deployment(),
  })
  expect(exitCode).toBe(0)
  expect(stderr).toContain('PARLEY_API_KEY is set and overrides the key of every profile.')
})

describe('is refused before anything is sent', () => {
  const refusals: readonly [string, string, RunOptions, string][] = [
    ['without a name', 'login', {}, 'Missing profile name'],
    ['without an address', 'login ci --api-key-stdin', { stdin: key }, 'Missing --url'],
    ['without a way to the key', `login ci --url ${url}`, {}, '--api-key-stdin'],
    ['with an empty key', `login ci --url ${url} --api-key-stdin`, { stdin: '\n' }, 'No API key on standard input'],
    [
      'with a key of two lines',
      `login ci --url ${url} --api-key-stdin`,
      { stdin: '1|abc\n2|def' },
      'No API key on standard input',
    ],
    ['with an invalid name', `login "a b" --url ${url} --api-key-stdin`, { stdin: key }, 'Invalid profile name'],
    ['as "local"', `login local --url ${url} --api-key-stdin`, { stdin: key }, 'needs no sign-in'],
    [
      'over plain http to elsewhere',
      'login ci --url http://assistants.example --api-key-stdin',
      { stdin: key },
      'which would send the API key unencrypted',
    ],
    [
      'at something that is no address',
      'login ci --url assistants --api-key-stdin',
      { stdin: key },
      'Invalid URL "assistants". Include the scheme, for example https://assistants',
    ],
    ['with --dry-run', `login ci --url ${url} --api-key-stdin --dry-run`, { stdin: key }, '--dry-run'],
  ]
  test.each(refusals)('%s', async (_, line, options, text) => {
    const by = operator()
    const { exitCode, requests, stderr } = await by.run(line, { connect: deployment(), ...options })
    expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] })
    expect(stderr).toContain(text)
    expect(configuration(by)).toBeUndefined()
  })
})

test('without a key the user is asked to sign in', async () => {
  const by = operator()
  const { exitCode, stderr } = await by.run(`keys list --base-url ${url}`)
  expect(exitCode).toBe(3)
  expect(stderr).toContain('parley login')
  expect(stderr).toContain('PARLEY_API_KEY')
})
