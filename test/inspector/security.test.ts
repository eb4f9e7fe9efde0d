import { describe, expect, test } from 'vitest'
import { inspectedServer, send } from './inspected-server.ts'

const server = await inspectedServer()
const host = new URL(server.url).host
const cookie = await server.signIn()

describe('the page', () => {
  test('is served with headers that allow no other code and no other page', async () => {
    const { status, headers, body } = await server.get('/_parley/')
    expect({ status, body }).toEqual({ status: 200, body: '<!doctype html><title>Parley</title>' })
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    })
  })

  test('has an address for each of its pages and resources', async () => {
    for (const path of ['/_parley/timeline', '/_parley/automations/0a1b', '/_parley/?x=1'])
      expect((await server.get(path)).body).toContain('<title>Parley</title>')
    expect(await server.get('/_parley')).toMatchObject({ status: 301, headers: { location: '/_parley/' } })
  })

  test('loads its files compressed, and they are cached', async () => {
    const answer = await server.get('/_parley/assets/inspector-abc.js', { 'accept-encoding': 'gzip, br' })
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'content-encoding': 'gzip',
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
      },
    })
    expect((await server.get('/_parley/assets/inspector-abc.js')).body).toBe('console.log(1)')
  })

  test.each([
    '/_parley/assets/../secret.html',
    '/_parley/assets/..%2fsecret.html',
    '/_parley/assets/%2e%2e/secret.html',
    '/_parley/assets/..\\secret.html',
    '/_parley/assets//etc/passwd',
    '/_parley/assets/.inspector-abc.js',
    '/_parley/assets/inspector-abc.js.gz',
    '/_parley/assets/',
    '/_parley/../control/status',
  ])('has no file outside of its folder: %s', async (path) => {
    const { status, body } = await server.get(path, { cookie, 'parley-inspector': '1' })
    expect(body).not.toContain('secret')
    expect(status).toBe(404)
  })

  test('is missing in a build without it, and the rest is answered', async () => {
    const bare = await inspectedServer({ inspectorFolder: '/nonexistent' })
    expect(await bare.get('/_parley/')).toMatchObject({ status: 404, body: expect.stringContaining('no page') })
    expect((await bare.get('/_parley/session')).status).toBe(401)
  })

  test('accepts no write', async () => {
    expect((await send(`${server.url}/_parley/timeline`, 'POST', {}, '{}')).status).toBe(405)
  })
})

describe('signing in', () => {
  test('needs a code, which works once', async () => {
    const { status, body } = await server.control('POST', '/control/inspector/logins')
    const { code, path, expires_in } = JSON.parse(body)
    expect({ status, path, expires_in }).toEqual({
      status: 200,
      path: `/_parley/login?code=${code}`,
      expires_in: 300,
    })
    const first = await server.get(`${path}&next=/_parley/calls/7`)
    expect(first).toMatchObject({ status: 303, headers: { location: '/_parley/calls/7' } })
    expect(first.headers['set-cookie']).toEqual([
      expect.stringMatching(/^parley_inspector_\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/_parley$/),
    ])
    expect(await server.get(path)).toMatchObject({ status: 403, body: expect.stringContaining('parley ui') })
  })

  test.each(['https://example.com/', '//example.com', '/_parley/../api', '/_parley//example.com', '/other', ''])(
    'never leads to %j',
    async (next) => {
      const { path } = JSON.parse((await server.control('POST', '/control/inspector/logins')).body)
      const { headers } = await server.get(`${path}&next=${encodeURIComponent(next)}`)
      expect(headers.location).toMatch(/^\/_parley\/(\.\.\/api)?$/)
    },
  )

  test('needs the control token for a code', async () => {
    for (const headers of [{}, { 'parley-control': 'guessed' }, { authorization: `Bearer ${server.key}` }])
      expect(
        (await send(`${server.url}/control/inspector/logins`, 'POST', headers as Record<string, string>)).status,
      ).toBe(401)
  })

  test.each(['/_parley/session', '/_parley/changes', '/_parley/api/control/status', '/_parley/api/api/user/me'])(
    'is required for %s',
    async (path) => {
      const name = cookie.split('=')[0]
      for (const given of [undefined, `${name}=guessed`, `${name}=`, `other=${cookie.split('=')[1]}`]) {
        const headers = { 'parley-inspector': '1', ...(given !== undefined && { cookie: given }) }
        expect((await server.get(path, headers)).status).toBe(401)
      }
      expect((await server.get(path, { 'parley-inspector': '1', authorization: `Bearer ${server.key}` })).status).toBe(
        401,
      )
    },
  )
})

describe('requests', () => {
  const signedIn = { cookie, 'parley-inspector': '1' }

  test('of the page are answered', async () => {
    for (const more of [
      {},
      { origin: server.url, 'sec-fetch-site': 'same-origin' },
      { host: `localhost:${host.split(':')[1]}` },
    ])
      expect((await server.get('/_parley/session', { ...signedIn, ...more })).status).toBe(200)
  })

  test.each<[string, Record<string, string>]>([
    ['another origin', { origin: 'https://example.com' }],
    ['an opaque origin', { origin: 'null' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port, as browsers report it', { 'sec-fetch-site': 'same-site' }],
    ['a frame', { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' }],
  ])('of %s are refused', async (_, headers) => {
    for (const path of [
      '/_parley/session',
      '/_parley/changes',
      '/_parley/api/control/status',
      '/_parley/assets/inspector-abc.js',
    ])
      expect((await server.get(path, { ...signedIn, ...headers })).status).toBe(403)
  })

  test.each(['example.com', 'example.com:4010', '127.0.0.1', '127.0.0.1:1', `${host}.example.com`])(
    'to the host name %s are refused',
    async (name) => {
      for (const path of ['/_parley/', '/_parley/session', '/_parley/login?code=x'])
        expect((await server.get(path, { ...signedIn, host: name })).status).toBeGreaterThanOrEqual(400)
    },
  )

  test('of a proxy are refused', async () => {
    for (const headers of [{ 'x-forwarded-for': '192.0.2.7' }, { via: '1.1 proxy' }])
      expect((await server.get('/_parley/', headers as Record<string, string>)).status).toBe(404)
  })

  test('to the API need a header that forms of other pages cannot send', async () => {
    expect((await server.get('/_parley/api/control/status', { cookie })).status).toBe(403)
  })

  test('from a link of another page open the page', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect((await server.get('/_parley/timeline', headers)).status).toBe(200)
  })

  test('never get an API key', async () => {
    const call = await server.page()
    expect(await call('POST', '/api/user/api-keys', { name: 'x' })).toMatchObject({ status: 403 })
    expect(await call('POST', '/control/accounts/1/keys', { name: 'x' })).toMatchObject({ status: 403 })
    expect(await call('POST', '/control/inspector/logins', {})).toMatchObject({ status: 403 })
    const { body } = await call('POST', '/control/accounts', { name: 'Second', email: 'second@example.com' })
    expect(JSON.parse(body).body).toMatchObject({ token: null })
  })
})

describe('a server for other machines', () => {
  test('has no inspector', async () => {
    const open = await inspectedServer({ host: '0.0.0.0', seed: undefined as never })
    expect(open.inspector).toBe(null)
    for (const path of ['/_parley/', '/_parley/session', '/_parley/login?code=x'])
      expect((await open.get(path)).status).toBe(404)
    expect((await open.control('POST', '/control/inspector/logins')).status).toBe(409)
  })

  test('has one with --ui-public, for users who sign in', async () => {
    const open = await inspectedServer({ host: '0.0.0.0', seed: undefined as never, publicInspector: true })
    const signedIn = { cookie: await open.signIn(), 'parley-inspector': '1', host: 'parley.example' }
    expect((await open.get('/_parley/session', { host: 'parley.example' })).status).toBe(401)
    expect((await open.get('/_parley/session', signedIn)).status).toBe(200)
    expect((await open.get('/_parley/session', { ...signedIn, origin: 'https://example.com' })).status).toBe(403)
    expect((await open.get('/_parley/session', { ...signedIn, origin: 'http://parley.example' })).status).toBe(200)
  })
})
