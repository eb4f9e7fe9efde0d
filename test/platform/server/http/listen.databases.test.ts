import { existsSync, readFileSync, statSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { type ServeSettings, serve } from '../../../../src/platform/serve.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, schemaTemplate, temporaryFolder } from '../../../support/databases.ts'
import { isAlive } from '../../../support/platform/platform-api.ts'
import { newPlace } from '../../../support/platform/test-platforms.ts'

const served = async (settings: Partial<ServeSettings> = {}) => {
  const server = await serve({
    dataDir: temporaryFolder(),
    template: schemaTemplate,
    host: '127.0.0.1',
    port: 0,
    pid: process.pid,
    isAlive,
    ...settings,
  })
  afterFile(() => server.stop())
  return { ...server, port: Number(new URL(server.url).port), authorization: `Bearer ${server.key}` }
}

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly agent?: Agent
}

function send(
  port: number,
  { method = 'GET', path = '/api/user/me', headers = {}, body, agent }: Sent,
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers, ...(agent && { agent }) },
      async (response) =>
        resolve({ status: response.statusCode, headers: response.headers, body: await text(response) }),
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** What a server says to these very bytes. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

describe('a server on a socket', () => {
  test('answers HEAD with the length of GET and no body, and 405 with the allowed methods', async () => {
    const { port, authorization } = await served()
    const [get, head] = [
      await send(port, { headers: { authorization } }),
      await send(port, { method: 'HEAD', headers: { authorization } }),
    ]
    expect({ status: head.status, body: head.body, length: head.headers['content-length'] }).toEqual({
      status: 200,
      body: '',
      length: String(Buffer.byteLength(get.body)),
    })
    expect(await send(port, { method: 'HEAD', path: '/healthz' })).toMatchObject({ status: 200, body: '' })
    expect(await send(port, { method: 'DELETE', headers: { authorization } })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    })
  })

  test('responds like the platform, with a Content-Length', async () => {
    const { port, authorization } = await served()
    const { status, headers, body } = await send(port, { headers: { authorization, 'x-request-id': 'mine' } })
    expect({ status, body: JSON.parse(body) }).toEqual({
      status: 200,
      body: { name: 'Northwind Dental', email: 'operations@northwind.example', total_balance: 25 },
    })
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': 'mine',
      'parley-assumed': 'user.me',
    })
    const made = await send(port, {
      method: 'POST',
      path: '/api/user/api-keys',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{"name":"Schlüssel 😀"}',
    })
    expect(JSON.parse(made.body).api_key.name).toBe('Schlüssel 😀')
  })

  test('responds only to its own host names: a web page cannot use another one', async () => {
    const { port, authorization } = await served()
    const named = (host: string) => send(port, { headers: { authorization, host } })
    for (const host of ['127.0.0.1', `127.0.0.1:${port}`, 'localhost', `LOCALHOST:${port}`, '[::1]', `[::1]:${port}`])
      expect((await named(host)).status, host).toBe(200)
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '0.0.0.0',
      '192.0.2.1',
      '127.0.0.1@evil.example',
    ])
      expect(await named(host), host).toMatchObject({ status: 421, body: '{"message":"Misdirected Request"}' })
    expect(await raw(port, 'GET /api/user/me HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 421 /)
    for (const path of [
      '/control/status',
      '/metrics',
      '/openapi.json',
      '/_parley',
      '/',
      '/readyz/',
      '/readyz?',
      '//readyz',
    ])
      expect((await send(port, { path, headers: { host: 'evil.example' } })).status, path).toBe(421)
    expect(await raw(port, 'GET http://evil.example/readyz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 421 /)
  })

  test('answers the probes of load balancers under any host name and without one', async () => {
    const { port } = await served()
    for (const path of ['/healthz', '/readyz']) {
      expect((await send(port, { path, headers: { host: 'parley.example' } })).status, path).toBe(200)
      expect(await raw(port, `GET ${path} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /)
    }
  })

  test('refuses a body over 2 MB as soon as it is too large, and continues for others', async () => {
    const { port, authorization } = await served()
    const headers = { authorization, 'content-type': 'application/json' }
    const large = await send(port, {
      method: 'POST',
      path: '/api/user/tools',
      headers,
      body: `{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`,
    })
    expect(large).toMatchObject({
      status: 413,
      body: '{"message":"The request body is larger than 2 MB."}',
      headers: { connection: 'close' },
    })
    const chunked = `POST /api/user/tools HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${'40000\r\n'.concat('x'.repeat(0x40000), '\r\n').repeat(9)}`
    expect(await raw(port, chunked)).toMatch(/^HTTP\/1\.1 413 /)
    expect((await send(port, { headers })).status).toBe(200)
  })

  test('accepts a chunked body, and none for methods without one', async () => {
    const { port, authorization } = await served()
    const pieces = `POST /api/user/api-keys HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n8\r\n{"name":\r\n5\r\n"ci"}\r\n0\r\n\r\n`
    expect(await raw(port, pieces)).toMatch(/^HTTP\/1\.1 201 /)
    expect((await send(port, { headers: { authorization, 'content-length': '2' }, body: '{}' })).status).toBe(200)
  })

  test('has health, readiness and OpenAPI pages for every caller on this machine', async () => {
    const { port } = await served({ version: '1.2.3' })
    expect(await send(port, { path: '/healthz' })).toMatchObject({
      status: 200,
      body: '{"status":"ok","version":"1.2.3"}',
    })
    expect(await send(port, { path: '/readyz' })).toMatchObject({ status: 200, body: '{"status":"ready"}' })
    expect(JSON.parse((await send(port, { path: '/openapi.json' })).body).info.version).toBe('1.2.3')
  })

  test('survives callers that disconnect, and those that do not use HTTP', async () => {
    const { port, authorization } = await served()
    for (let n = 0; n < 20; n++) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(
        n % 2
          ? `POST /api/user/tools HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\ncontent-length: 100\r\n\r\n{`
          : 'hello\r\n\r\n',
      )
      await new Promise((resolve) => setTimeout(resolve, 2))
      socket.destroy()
    }
    expect((await send(port, { headers: { authorization } })).status).toBe(200)
  })

  test('writes its URL to a file of its folder while it runs, readable by its owner only', async () => {
    const dataDir = temporaryFolder()
    const { url, stop } = await served({ dataDir })
    const file = join(dataDir, 'server.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      url,
      pid: process.pid,
      started_at: expect.stringMatching(/^\d{4}-.*Z$/),
      inspector: true,
    })
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
    await stop()
    expect(existsSync(file)).toBe(false)
  })

  test('that cannot use its port reports it, and leaves no file', async () => {
    const { port } = await served()
    const dataDir = temporaryFolder()
    await expect(served({ port, dataDir })).rejects.toMatchObject({
      message: `Port ${port} on 127.0.0.1 is in use.`,
      hint: 'Pass --port 0 to use a free port.',
    })
    expect(existsSync(join(dataDir, 'server.json'))).toBe(false)
    await (await served({ dataDir })).stop()
  })
})

describe.each(databases)('a server on $name that is stopped', (database) => {
  test('answers earlier requests, accepts no new ones, and ends soon after', async () => {
    const place = await newPlace(database)
    let asked = 0
    let release: () => void = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const server = await served({
      ...place,
      gate: async (step) => {
        if (step !== 'payments.charge:before') return
        asked++
        await released
      },
    })
    const agent = new Agent({ keepAlive: true })
    const headers = { authorization: server.authorization, 'content-type': 'application/json' }
    await send(server.port, { headers, agent })
    const underWay = ['+15005550006', '+15005550003'].map((number) =>
      send(server.port, {
        method: 'POST',
        path: '/api/user/phone-numbers/purchase',
        headers,
        agent,
        body: JSON.stringify({ phone_number: number }),
      }),
    )
    await expect.poll(() => asked).toBe(2)
    const stopped = server.stop()
    // Refused, or cut at once when the connection came in the very moment of stopping: either way it is not served.
    await expect(send(server.port, { headers })).rejects.toMatchObject({
      code: expect.stringMatching(/^(ECONNREFUSED|ECONNRESET)$/),
    })
    release()
    expect((await Promise.all(underWay)).map((it) => it.status)).toEqual([201, 402])
    await stopped
    agent.destroy()
    const again = await served(place)
    const { body } = await send(again.port, { path: '/api/user/phone-numbers/all', headers })
    expect(body).toContain('+15005550006')
  })

  test('can be stopped twice', async () => {
    const server = await served(await newPlace(database))
    await Promise.all([server.stop(), server.stop()])
    await server.stop()
  })
})
