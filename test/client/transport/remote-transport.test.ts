import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PlainRequest } from '../../../src/contract/endpoint/http-message.ts'
import { controlTime, releaseTime } from '../../support/fake-timers.ts'
import { closedPort, json, remote, startHost, startSocket } from '../../support/servers/http-hosts.ts'

const get = (url = '/api/user/api-keys'): PlainRequest => ({
  method: 'GET',
  url,
  headers: { accept: 'application/json' },
})
const post: PlainRequest = {
  method: 'POST',
  url: '/api/user/tools',
  headers: { 'content-type': 'application/json' },
  body: '{"name":"größe"}',
}
const options = { timeoutMs: 5000 }

describe('a request that is answered', () => {
  test('arrives below the prefix of the base URL, with its complete body', async () => {
    let body = ''
    const host = await startHost(async (request, response) => {
      body = await text(request)
      json({ ok: true })(request, response)
    })
    const transport = remote(`${host.url}/tenant/`)
    const answer = await transport.send(post, options)
    expect(transport.base).toBe(`${host.url}/tenant`)
    expect(host.seen).toEqual(['POST /tenant/api/user/tools'])
    expect(body).toBe('{"name":"größe"}')
    expect(host.requests[0]?.headers).toMatchObject({
      'content-length': '18',
      'accept-encoding': 'identity',
      host: `127.0.0.1:${host.port}`,
    })
    expect(answer).toMatchObject({ status: 200, body: '{"ok":true}', headers: { 'content-type': 'application/json' } })
  })

  test('is returned with any status, and redirects are not followed', async () => {
    const host = await startHost((_, response) =>
      response.writeHead(302, { location: 'https://elsewhere.test/' }).end(),
    )
    expect(await remote(host.url).send(get(), options)).toMatchObject({
      status: 302,
      headers: { location: 'https://elsewhere.test/' },
    })
  })

  test('keeps characters that are split between two packets', async () => {
    const bytes = Buffer.from('{"name":"ü"}')
    const host = await startHost((_, response) => {
      response.write(bytes.subarray(0, 10))
      setTimeout(() => response.end(bytes.subarray(10)), 20)
    })
    expect((await remote(host.url).send(get(), options)).body).toBe('{"name":"ü"}')
  })

  test('shares one connection with the requests before it', async () => {
    const ports = new Set<number | undefined>()
    const host = await startHost((request, response) => {
      ports.add(request.socket.remotePort)
      json({})(request, response)
    })
    const transport = remote(host.url)
    for (let i = 0; i < 5; i++) await transport.send(get(), options)
    expect(ports.size).toBe(1)
  })

  test('does not reuse a connection that was idle for over a second', async () => {
    const ports = new Set<number | undefined>()
    const host = await startHost((request, response) => {
      ports.add(request.socket.remotePort)
      json({})(request, response)
    })
    const transport = remote(host.url)
    await transport.send(get(), options)
    await new Promise((done) => setTimeout(done, 1100))
    await transport.send(get(), options)
    expect(ports.size).toBe(2)
  })

  test('leaves no timer that keeps the process alive', async () => {
    const host = await startHost(json({}))
    controlTime({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(releaseTime)
    await remote(host.url).send(get(), options)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('over IPv6 loopback works too, and its base URL is written with brackets', () => {
    expect(remote('http://[::1]:8080').base).toBe('http://[::1]:8080')
  })
})

describe('a request without a response reports the reason, and whether it may have arrived', () => {
  test('nothing listens: refused, not sent', async () => {
    const transport = remote(`http://127.0.0.1:${await closedPort()}`)
    await expect(transport.send(get(), options)).rejects.toMatchObject({
      name: 'TransportError',
      reason: 'refused',
      sent: false,
    })
  })

  test('the host does not exist: dns, not sent', async () => {
    await expect(remote('https://nowhere.invalid').send(get(), options)).rejects.toMatchObject({
      reason: 'dns',
      sent: false,
    })
  })

  test('the connection is cut after the request: reset, sent', async () => {
    const host = await startSocket((socket) => socket.resetAndDestroy())
    await expect(remote(host.url).send(post, options)).rejects.toMatchObject({ reason: 'reset', sent: true })
  })

  test('the server closes the connection without a response: reset, sent', async () => {
    const host = await startSocket((socket) => socket.end())
    await expect(remote(host.url).send(post, options)).rejects.toMatchObject({ reason: 'reset', sent: true })
  })

  test('the response ends in the middle: truncated, sent', async () => {
    const host = await startSocket((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"da'))
    await expect(remote(host.url).send(get(), options)).rejects.toMatchObject({ reason: 'truncated', sent: true })
  })

  test('a chunked response ends in the middle: truncated, sent', async () => {
    const host = await startSocket((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{"da\r\n'),
    )
    await expect(remote(host.url).send(get(), options)).rejects.toMatchObject({ reason: 'truncated', sent: true })
  })

  test('no response in time: timeout, sent', async () => {
    const host = await startHost(() => {})
    await expect(remote(host.url).send(get(), { timeoutMs: 100 })).rejects.toMatchObject({
      reason: 'timeout',
      sent: true,
    })
  })

  test('a response that drips endlessly: timeout over the whole exchange', async () => {
    const host = await startHost((request, response) => {
      const timer = setInterval(() => response.write(' '), 20)
      request.socket.on('close', () => clearInterval(timer))
    })
    await expect(remote(host.url).send(get(), { timeoutMs: 150 })).rejects.toMatchObject({
      reason: 'timeout',
      sent: true,
    })
  })

  test('the user interrupts: aborted', async () => {
    const stop = new AbortController()
    const host = await startHost(() => stop.abort())
    await expect(remote(host.url).send(get(), { ...options, signal: stop.signal })).rejects.toMatchObject({
      reason: 'aborted',
      sent: true,
    })
    await expect(remote(host.url).send(get(), { ...options, signal: stop.signal })).rejects.toMatchObject({
      reason: 'aborted',
      sent: false,
    })
    expect(host.seen).toHaveLength(1)
  })

  test('the response is larger than the limit: refused', async () => {
    const host = await startHost((_, response) => response.end('x'.repeat(3 * 1024 * 1024)))
    await expect(remote(host.url, { maxBytes: 1024 * 1024 }).send(get(), options)).rejects.toMatchObject({
      reason: 'other',
      sent: true,
      message: 'the response is larger than 1 MB',
    })
  })

  test('the response is not HTTP: other, with a message', async () => {
    const host = await startSocket((socket) => socket.end('220 mail.test ESMTP\r\n'))
    await expect(remote(host.url).send(get(), options)).rejects.toMatchObject({
      reason: 'other',
      message: expect.stringContaining('not HTTP'),
    })
  })

  test('an invalid header: nothing is sent', async () => {
    const host = await startHost(json({}))
    await expect(remote(host.url).send({ ...get(), headers: { 'x-bad': 'a\r\nb' } }, options)).rejects.toMatchObject({
      reason: 'other',
      sent: false,
    })
    expect(host.seen).toEqual([])
  })
})

describe('a base URL', () => {
  test.each([
    'ftp://host',
    'host.test',
    '',
    'https://',
    'https://me:secret@host.test',
    'https://:secret@host.test',
    'https://me@host.test',
    'https://host.test/?a=1',
    'https://host.test/#x',
  ])('like "%s" is refused before any request', (url) => {
    expect(() => remote(url)).toThrow(
      expect.objectContaining({ name: 'ClientFailure', exit: 'usage', code: 'invalid_base_url' }),
    )
  })

  test('is never plain http to another machine, unless --insecure is passed', () => {
    for (const url of ['http://10.0.0.7', 'http://127.0.0.1.evil.test', 'http://localhost.evil.test']) {
      expect(() => remote(url)).toThrow(expect.objectContaining({ exit: 'usage', code: 'insecure_base_url' }))
    }
    expect(remote('http://10.0.0.7', { insecure: true }).base).toBe('http://10.0.0.7')
    expect(remote('http://localhost:4000').base).toBe('http://localhost:4000')
  })

  test('with a password is refused without showing the password', () => {
    expect(() => remote('https://me:hunter2@host.test')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    )
  })
})
