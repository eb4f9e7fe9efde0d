import { describe, expect, test } from 'vitest'
import { proxyFor } from '../../../src/client/transport/proxy-settings.ts'
import type { PlainRequest } from '../../../src/contract/endpoint/http-message.ts'
import { hangMs } from '../../support/hang-timeout.ts'
import { closedPort, json, remote, startHost, startProxy, startTlsHost } from '../../support/servers/http-hosts.ts'

const get: PlainRequest = { method: 'GET', url: '/api/user/me?x=1', headers: { authorization: 'Bearer 1|secret' } }
const post: PlainRequest = {
  method: 'POST',
  url: '/api/user/tools',
  headers: { 'content-type': 'application/json' },
  body: '{"name":"größe"}',
}
const options = { timeoutMs: 5000 }

describe('behind a proxy', () => {
  test('https goes through a tunnel that the proxy cannot read', async () => {
    const host = await startTlsHost(json({ ok: true }))
    const proxy = await startProxy(host.port)
    const transport = remote('https://platform.test/tenant', { env: { HTTPS_PROXY: proxy.url }, ca: host.ca })
    expect(await transport.send(get, options)).toMatchObject({
      status: 200,
      body: '{"ok":true}',
      headers: { 'content-type': 'application/json' },
    })
    expect(await transport.send(post, options)).toMatchObject({ status: 200 })
    expect(host.seen).toEqual(['GET /tenant/api/user/me?x=1', 'POST /tenant/api/user/tools'])
    expect(host.requests[1]?.headers).toMatchObject({ host: 'platform.test', 'content-length': '18' })
    expect(new Set(proxy.seen)).toEqual(new Set(['CONNECT platform.test:443']))
    expect(proxy.headers[0]).not.toHaveProperty('authorization')
  })

  test('plain http with --insecure is requested with the whole URL', async () => {
    const host = await startHost(json({ ok: true }))
    const proxy = await startProxy(host.port)
    const transport = remote('http://platform.test', { env: { http_proxy: proxy.url }, insecure: true })
    expect(await transport.send(get, options)).toMatchObject({ status: 200 })
    expect(proxy.seen).toEqual(['GET http://platform.test/api/user/me?x=1'])
  })

  test('its name and password are sent to the proxy only', async () => {
    const host = await startTlsHost(json({}))
    const proxy = await startProxy(host.port)
    const env = { https_proxy: `http://me:pa%3Ass@127.0.0.1:${proxy.port}` }
    await remote('https://platform.test', { env, ca: host.ca }).send(get, options)
    expect(proxy.headers[0]?.['proxy-authorization']).toBe(`Basic ${Buffer.from('me:pa:ss').toString('base64')}`)
    expect(host.requests[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  test.each([407, 502])('a proxy that answers %i is named, and nothing was sent', async (status) => {
    const host = await startTlsHost(json({}))
    const proxy = await startProxy(host.port, status)
    const transport = remote('https://platform.test', { env: { HTTPS_PROXY: proxy.url }, ca: host.ca })
    await expect(transport.send(post, options)).rejects.toMatchObject({
      reason: 'proxy',
      sent: false,
      message: expect.stringContaining(String(status)),
    })
    expect(host.seen).toEqual([])
  })

  test.each([
    [403, 'x-squid-error', 'proxy'],
    [403, 'proxy-status', 'proxy'],
    [403, 'server', 'platform'],
    [404, 'x-squid-error', 'platform'],
    [200, 'proxy-agent', 'platform'],
  ])('over http, %i with the header "%s" is an answer of the %s', async (status, header, from) => {
    const proxy = await startHost((_, response) =>
      response.writeHead(status, { [header]: 'ERR_ACCESS_DENIED 0' }).end('{}'),
    )
    const sending = remote('http://platform.test', { env: { http_proxy: proxy.url }, insecure: true }).send(
      post,
      options,
    )
    if (from === 'platform') expect(await sending).toMatchObject({ status })
    else
      await expect(sending).rejects.toMatchObject({
        reason: 'proxy',
        message: expect.stringContaining(`${proxy.url} answered 403`),
      })
  })

  test('an unreachable proxy is named without its password', async () => {
    const env = { HTTPS_PROXY: `http://me:hunter2@127.0.0.1:${await closedPort()}` }
    const sending = remote('https://platform.test', { env }).send(post, options)
    await expect(sending).rejects.toMatchObject({
      reason: 'proxy',
      sent: false,
      message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/),
    })
    await expect(sending).rejects.toMatchObject({ message: expect.not.stringContaining('hunter2') })
  })

  test('an untrusted certificate is refused before the request is sent', async () => {
    const host = await startTlsHost(json({}))
    const proxy = await startProxy(host.port)
    await expect(
      remote('https://platform.test', { env: { HTTPS_PROXY: proxy.url } }).send(post, options),
    ).rejects.toMatchObject({ reason: 'tls', sent: false })
    expect(host.seen).toEqual([])
  })

  test('cut after the request: reset, sent; cut in the answer: truncated; slow: timeout', async () => {
    const host = await startTlsHost((request, response) => {
      if (request.url === '/cut') request.socket.destroy()
      if (request.url === '/half') {
        response.writeHead(200, { 'content-length': '100' }).write('{"da', () => request.socket.destroy())
      }
    })
    const proxy = await startProxy(host.port)
    const transport = remote('https://platform.test', { env: { HTTPS_PROXY: proxy.url }, ca: host.ca })
    await expect(transport.send({ ...post, url: '/cut' }, options)).rejects.toMatchObject({
      reason: 'reset',
      sent: true,
    })
    await expect(transport.send({ ...post, url: '/half' }, options)).rejects.toMatchObject({
      reason: 'truncated',
      sent: true,
    })
    // On a busy machine the time can be over before the request has left.
    let late: unknown
    for (let timeoutMs = 150; timeoutMs < hangMs && !(late as { sent?: boolean } | undefined)?.sent; timeoutMs *= 3)
      late = await transport.send({ ...post, url: '/slow' }, { timeoutMs }).catch((error: unknown) => error)
    expect(late).toMatchObject({ reason: 'timeout', sent: true })
  })

  test('a proxy that never answers: timeout, not sent, and the next request starts afresh', async () => {
    const host = await startTlsHost(json({}))
    let answers = false
    const proxy = await startProxy(host.port)
    const stalling = await import('node:net').then(({ createServer, connect }) =>
      createServer((socket) => {
        if (!answers) return
        const onward = connect(proxy.port, '127.0.0.1')
        socket.pipe(onward).pipe(socket)
        socket.on('error', () => onward.destroy())
      }),
    )
    await new Promise<void>((done) => stalling.listen(0, '127.0.0.1', done))
    const { port } = stalling.address() as { port: number }
    const transport = remote('https://platform.test', { env: { HTTPS_PROXY: `http://127.0.0.1:${port}` }, ca: host.ca })
    await expect(transport.send(post, { timeoutMs: 150 })).rejects.toMatchObject({ reason: 'timeout', sent: false })
    answers = true
    expect(await transport.send(post, options)).toMatchObject({ status: 200 })
    await transport.close()
    stalling.close()
  })

  test('a response larger than the limit is refused', async () => {
    const host = await startTlsHost((_, response) => response.end('x'.repeat(3 * 1024 * 1024)))
    const proxy = await startProxy(host.port)
    const transport = remote('https://platform.test', {
      env: { HTTPS_PROXY: proxy.url },
      ca: host.ca,
      maxBytes: 1024 * 1024,
    })
    await expect(transport.send(get, options)).rejects.toMatchObject({
      reason: 'other',
      sent: true,
      message: 'the response is larger than 1 MB',
    })
  })
})

describe('the choice of the proxy', () => {
  const https = 'https://api.platform.test/x'
  const env = { HTTPS_PROXY: 'http://proxy.test:3128', HTTP_PROXY: 'http://plain.test:8080' }
  const chosen = (url: string, more: Record<string, string> = {}): string | undefined =>
    proxyFor(new URL(url), { ...env, ...more })?.host

  test('depends on the scheme, and lower-case variables take precedence', () => {
    expect([chosen(https), chosen('http://platform.test'), chosen(https, { https_proxy: 'low.test:1' })]).toEqual([
      'proxy.test:3128',
      'plain.test:8080',
      'low.test:1',
    ])
  })

  test('is none for this machine', () => {
    expect(['http://localhost:1', 'https://127.0.0.1:1', 'http://[::1]:1'].map((it) => chosen(it))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test.each([
    ['*', true],
    ['api.platform.test', true],
    ['platform.test', true],
    ['.platform.test', true],
    ['*.platform.test', true],
    ['other.test, PLATFORM.test', true],
    ['platform.test:443', true],
    ['platform.test:8443', false],
    ['platform.test.', true],
    ['  other.test   platform.test ', true],
    ['form.test', false],
    ['', false],
  ])('NO_PROXY="%s" exempts the host: %s', (list, exempt) => {
    expect(chosen(https, { NO_PROXY: list }) === undefined).toBe(exempt)
  })

  test.each([
    ['fd00::7', true],
    ['[fd00::7]:443', true],
    ['[fd00::7]:8443', false],
    ['fd00::8', false],
  ])('NO_PROXY="%s" exempts an IPv6 address: %s', (list, exempt) => {
    expect(chosen('https://[fd00::7]/', { NO_PROXY: list }) === undefined).toBe(exempt)
  })

  test.each([
    ['10.0.0.0/8', true],
    ['192.168.0.0/16, 10.1.0.0/16', true],
    ['10.1.2.3/32', true],
    ['0.0.0.0/0', true],
    ['10.1.2.*', true],
    ['10.*', true],
    ['10.2.*', false],
    ['10.2.0.0/16', false],
    ['10.0.0.0/33', false],
    ['10.0.0.0/', false],
    ['fd00::/8', false],
    ['platform.test/8', false],
  ])('NO_PROXY="%s" exempts an address in its networks: %s', (list, exempt) => {
    expect(chosen('https://10.1.2.3/', { NO_PROXY: list }) === undefined).toBe(exempt)
    expect(chosen(https, { NO_PROXY: list })).toBe('proxy.test:3128')
  })

  test.each([
    ['fd00::/8', true],
    ['[fd00::]/8', true],
    ['fe80::/10', false],
    ['10.0.0.0/8', false],
  ])('NO_PROXY="%s" exempts an IPv6 address in its networks: %s', (list, exempt) => {
    expect(chosen('https://[fd00::7]/', { NO_PROXY: list }) === undefined).toBe(exempt)
  })

  test('of an IPv4 address is exempt in each of its notations', () => {
    expect(chosen('https://[::ffff:10.1.2.3]/', { NO_PROXY: '10.0.0.0/8' })).toBeUndefined()
    expect(chosen('https://platform.test./', { NO_PROXY: 'platform.test' })).toBeUndefined()
  })

  test('is that of ALL_PROXY where the scheme has none, and an error names the variable', () => {
    const all = { ALL_PROXY: 'http://all.test:3128' }
    const hostFor = (url: string, more: Record<string, string>) => proxyFor(new URL(url), { ...all, ...more })?.host
    expect(hostFor(https, {})).toBe('all.test:3128')
    expect(hostFor('http://platform.test', { HTTPS_PROXY: 'http://proxy.test:1' })).toBe('all.test:3128')
    expect(hostFor(https, { HTTPS_PROXY: 'http://proxy.test:1' })).toBe('proxy.test:1')
    expect(hostFor(https, { all_proxy: 'http://low.test:1' })).toBe('low.test:1')
    expect(hostFor(https, { NO_PROXY: 'platform.test' })).toBeUndefined()
    expect(() => proxyFor(new URL(https), { ALL_PROXY: 'socks5://proxy.test' })).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^ALL_PROXY is a socks5 proxy/) }),
    )
  })
})
