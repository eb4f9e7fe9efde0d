import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { createHttpClient, defaultPolicy } from '../../../src/engine/http/http-client.ts'
import type { HttpRequest } from '../../../src/engine/ports.ts'
import { startTlsHost } from '../../support/servers/http-hosts.ts'

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function serve(handle: Handler): Promise<string> {
  const receive = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = []
    request.on('data', (it: Buffer) => chunks.push(it))
    request.on('end', () => handle(request, response, Buffer.concat(chunks).toString()))
  }
  const server = createServer(receive)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const never = new AbortController().signal
const local = createHttpClient({ ...defaultPolicy, allowPrivate: true })
const ask = (url: string, more: Partial<HttpRequest> = {}, http = local, signal = never) =>
  http.send({ method: 'GET', url, headers: {}, timeout: 5000, ...more }, signal)
const textOf = async (...given: Parameters<typeof ask>): Promise<string> =>
  Buffer.from((await ask(...given)).body).toString()

describe('a request', () => {
  test('of a platform that is offline is not sent', async () => {
    let requests = 0
    const base = await serve((_, response) => {
      requests += 1
      response.end()
    })
    const offline = createHttpClient({ ...defaultPolicy, allowPrivate: true, isOffline: true })
    await expect(ask(base, {}, offline)).rejects.toThrow('connects to no other server')
    expect(requests).toBe(0)
  })

  test('arrives unchanged, and every status counts as a response', async () => {
    const base = await serve((request, response, body) => {
      response.writeHead(404, { 'X-Seen': 'yes' })
      response.end(
        JSON.stringify([request.method, request.url, request.headers['x-a'], request.headers['content-length'], body]),
      )
    })
    const { status, headers, body } = await ask(`${base}/p?q=1`, { method: 'PUT', headers: { 'X-A': '1' }, body: 'é' })
    expect([status, headers['x-seen'], JSON.parse(Buffer.from(body).toString())]).toEqual([
      404,
      'yes',
      ['PUT', '/p?q=1', '1', '2', 'é'],
    ])
  })

  test('cannot set headers that frame the message', async () => {
    const base = await serve((request, response) => response.end(JSON.stringify(request.headers)))
    const seen = JSON.parse(
      await textOf(base, {
        method: 'POST',
        body: 'ab',
        headers: {
          'Content-Length': '1',
          'Transfer-Encoding': 'chunked',
          Host: 'other.test',
          'Accept-Encoding': 'gzip',
        },
      }),
    )
    expect(seen).toMatchObject({ 'content-length': '2', host: base.slice(7), 'accept-encoding': 'identity' })
    expect(seen['transfer-encoding']).toBeUndefined()
  })

  test('ends after its timeout, or when its caller aborts it', async () => {
    const base = await serve(() => {})
    await expect(ask(base, { timeout: 60 })).rejects.toMatchObject({
      message: 'The server did not answer within 0.06 seconds.',
      isTemporary: true,
    })
    const dripping = await serve((_, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write('x'), 10)
      closing.push(() => clearInterval(drip))
    })
    await expect(ask(dripping, { timeout: 100 })).rejects.toThrow('did not answer within')
    const abort = new AbortController()
    const ending = await serve(() => abort.abort(new Error('enough')))
    await expect(ask(ending, {}, local, abort.signal)).rejects.toThrow('enough')
  })

  test('without a response reports the reason', async () => {
    const base = await serve((request) => request.socket.destroy())
    await expect(ask(base)).rejects.toMatchObject({
      message: `${base.slice(7)} closed the connection.`,
      isTemporary: true,
    })
    await expect(ask('http://127.0.0.1:1')).rejects.toThrow('refused the connection')
    await expect(ask('http://nobody.invalid/')).rejects.toThrow(/nobody\.invalid could not be found/)
  })
})

describe('a response that is too large', () => {
  test('is refused, with or without a Content-Length', async () => {
    const small = createHttpClient({ ...defaultPolicy, allowPrivate: true, maxBytes: 1024 * 1024 })
    const said = await serve((_, response) => response.writeHead(200, { 'content-length': 2 * 1024 * 1024 }).write('x'))
    await expect(ask(said, {}, small)).rejects.toThrow('larger than 1 MB')
    const unsaid = await serve((_, response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', pour)
      }
      pour()
    })
    await expect(ask(unsaid, {}, small)).rejects.toThrow('larger than 1 MB')
  })

  test('up to the limit is accepted', async () => {
    const base = await serve((_, response) => response.end(Buffer.alloc(16 * 1024 * 1024)))
    expect((await ask(base)).body).toHaveLength(16 * 1024 * 1024)
  })
})

describe('redirects', () => {
  const echo: Handler = (request, response, body) =>
    response.end(
      JSON.stringify([
        request.method,
        body,
        request.headers.authorization ?? null,
        request.headers['content-type'] ?? null,
      ]),
    )

  test.each([
    [301, 'POST', ['GET', '', 'secret', null]],
    [302, 'POST', ['GET', '', 'secret', null]],
    [303, 'PUT', ['GET', '', 'secret', null]],
    [307, 'POST', ['POST', 'data', 'secret', 'text/plain']],
    [308, 'PUT', ['PUT', 'data', 'secret', 'text/plain']],
  ])('of %i after %s', async (status, method, expected) => {
    const base = await serve((request, response, body) =>
      request.url === '/to' ? echo(request, response, body) : response.writeHead(status, { location: '/to' }).end(),
    )
    const found = await textOf(base, {
      method,
      body: 'data',
      headers: { Authorization: 'secret', 'Content-Type': 'text/plain' },
    })
    expect(JSON.parse(found)).toEqual(expected)
  })

  test('to another server do not forward credentials', async () => {
    const other = await serve(echo)
    const base = await serve((_, response) => response.writeHead(307, { location: other }).end())
    expect(JSON.parse(await textOf(base, { headers: { Authorization: 'secret', Cookie: 'a=b' } }))).toEqual([
      'GET',
      '',
      null,
      null,
    ])
  })

  test('to another server forward no header that may contain a secret', async () => {
    const headers = { 'X-Api-Key': 'secret', 'api-key': 'secret', 'X-Tenant': 'a', Accept: 'text/a', 'User-Agent': 'b' }
    const seen: Record<string, unknown>[] = []
    const record: Handler = (request, response) => {
      seen.push(request.headers)
      response.end()
    }
    const other = await serve(record)
    const base = await serve((request, response, body) =>
      request.url === '/same'
        ? record(request, response, body)
        : response.writeHead(307, { location: request.url === '/other' ? other : '/same' }).end(),
    )
    await ask(`${base}/other`, { method: 'POST', headers: { ...headers, 'Content-Type': 'text/plain' }, body: 'x' })
    await ask(`${base}/again`, { headers })
    expect(seen[0]).toMatchObject({ accept: 'text/a', 'user-agent': 'b', 'content-type': 'text/plain' })
    expect(Object.keys(seen[0] as object)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(x-|api)/)]))
    expect(seen[1]).toMatchObject({ 'x-api-key': 'secret', 'x-tenant': 'a' })
  })

  test('stop after the maximum number', async () => {
    const base = await serve((_, response) => response.writeHead(302, { location: '/' }).end())
    await expect(ask(base)).rejects.toThrow('more than 5 times')
    const nowhere = await serve((_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end())
    await expect(ask(nowhere)).rejects.toThrow('Use http or https')
  })

  test('to forbidden addresses are refused in every notation', async () => {
    for (const location of [
      'http://169.254.169.254/latest/meta-data',
      'http://[::ffff:169.254.169.254]/',
      'http://0xa9fea9fe/',
      'http://2852039166/',
      'http://[fe80::1]/',
    ]) {
      const base = await serve((_, response) => response.writeHead(302, { location }).end())
      await expect(ask(base)).rejects.toThrow('are not allowed')
    }
  })
})

describe('private networks', () => {
  const strict = createHttpClient()

  test.each([
    'http://127.0.0.1:1/',
    'http://localhost:1/',
    'http://10.0.0.1/',
    'http://192.168.0.1/',
    'http://[::1]/',
    'http://0.0.0.0/',
    'http://127.1/',
    'http://0x7f000001/',
  ])('%s is not contacted unless it is allowed', async (url) => {
    await expect(ask(url, {}, strict)).rejects.toThrow('private network')
  })

  test('link-local addresses are never contacted', async () => {
    for (const url of ['http://169.254.169.254/', 'http://169.254.1.1/'])
      await expect(ask(url)).rejects.toThrow('are not allowed')
  })
})

describe('encryption', () => {
  test('certificates are checked, whatever the environment says', async () => {
    const host = await startTlsHost((_, response) => response.end('ok'))
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      await expect(ask(host.url)).rejects.toThrow('cannot be trusted')
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
    expect(await textOf(host.url, {}, createHttpClient({ ...defaultPolicy, allowPrivate: true, ca: host.ca }))).toBe(
      'ok',
    )
  })

  test('https is not downgraded by a redirect', async () => {
    const plain = await serve((_, response) => response.end('plain'))
    const host = await startTlsHost((_, response) => void response.writeHead(302, { location: plain }).end())
    await expect(
      ask(host.url, {}, createHttpClient({ ...defaultPolicy, allowPrivate: true, ca: host.ca })),
    ).rejects.toThrow('from https to http')
  })
})

describe('a compressed response', () => {
  const text = '{"a":"é"}'
  const serveBytes = (encoding: string, bytes: Buffer): Promise<string> =>
    serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding })
      response.end(bytes)
    })

  test.each([
    ['gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['identity', Buffer.from(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
  ])('is decoded: %s', async (encoding, bytes) => {
    const reply = await ask(await serveBytes(encoding, bytes))
    expect(Buffer.from(reply.body).toString()).toBe(text)
    expect(reply.headers['content-encoding']).toBeUndefined()
  })

  test('has the size limit after it is decoded', async () => {
    const url = await serveBytes('gzip', gzipSync(Buffer.alloc(2 * 1024 * 1024)))
    const http = createHttpClient({ ...defaultPolicy, allowPrivate: true, maxBytes: 1024 * 1024 })
    await expect(ask(url, {}, http)).rejects.toThrow('The response is larger than 1 MB.')
  })

  test('that is damaged or has another compression fails', async () => {
    await expect(ask(await serveBytes('gzip', gzipSync(text).subarray(0, 15)))).rejects.toThrow(
      'The response could not be decompressed (gzip).',
    )
    await expect(ask(await serveBytes('zstd', Buffer.from(text)))).rejects.toThrow(
      'The response uses the unsupported compression zstd. Supported are gzip, deflate and br.',
    )
  })
})
