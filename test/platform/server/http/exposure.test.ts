import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { PlainRequest } from '../../../../src/contract/endpoint/http-message.ts'
import { type ServeSettings, serve } from '../../../../src/platform/serve.ts'
import { listen } from '../../../../src/platform/server/http/listen.ts'
import { remoteClient } from '../../../../src/platform/server/http/remote-client.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { schemaTemplate, sqlite, temporaryFolder } from '../../../support/databases.ts'
import { isAlive } from '../../../support/platform/platform-api.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const local = { address: '127.0.0.1', isProxied: false, isLocal: true }

describe('the client of a request', () => {
  test.each<[string, Record<string, string>, string, object]>([
    ['127.0.0.1', {}, '1.1', local],
    ['::1', {}, '1.1', { ...local, address: '::1' }],
    ['::ffff:127.0.0.1', {}, '1.1', { ...local, address: '::ffff:127.0.0.1' }],
    ['192.0.2.7', {}, '1.1', { address: '192.0.2.7', isProxied: false, isLocal: false }],
    // What a client elsewhere says about its address is not believed.
    ['192.0.2.7', { 'x-forwarded-for': '127.0.0.1' }, '1.1', { address: '192.0.2.7', isProxied: true, isLocal: false }],
    [
      '127.0.0.1',
      { 'x-forwarded-for': '127.0.0.1, 192.0.2.9' },
      '1.1',
      { address: '192.0.2.9', isProxied: true, isLocal: false },
    ],
    ['127.0.0.1', { 'x-real-ip': '192.0.2.9' }, '1.1', { address: '192.0.2.9', isProxied: true, isLocal: false }],
    ['127.0.0.1', { via: '1.1 proxy' }, '1.1', { address: '127.0.0.1', isProxied: true, isLocal: false }],
    ['127.0.0.1', {}, '1.0', { address: '127.0.0.1', isProxied: true, isLocal: false }],
  ])('of %s with %j over HTTP %s', (peer, headers, version, expected) => {
    expect(remoteClient(peer, headers, version)).toEqual(expected)
  })
})

describe('the control API', () => {
  const ask = async (remote: PlainRequest['remote'], controlPublic?: boolean) => {
    const api = await fresh(sqlite, { ...(controlPublic && { controlPublic }) })
    const headers = { 'parley-control': api.platform.credentials().control }
    const { status, body } = await api.platform.handle({
      method: 'GET',
      url: '/control/status',
      headers,
      ...(remote && { remote }),
    })
    return { status, body }
  }

  test('answers only on the machine of the server', async () => {
    expect((await ask(undefined)).status).toBe(200)
    expect((await ask(local)).status).toBe(200)
    for (const remote of [
      { address: '192.0.2.7', isProxied: false, isLocal: false },
      { address: '127.0.0.1', isProxied: true, isLocal: false },
    ])
      expect(await ask(remote)).toEqual({
        status: 403,
        body: '{"message":"The control API accepts requests only from the machine of the server."}',
      })
  })

  test('answers other machines with --control-public', async () => {
    expect((await ask({ address: '192.0.2.7', isProxied: false, isLocal: false }, true)).status).toBe(200)
  })
})

describe('private addresses', () => {
  /** Starts a server, and a receiver on this machine that counts the requests of an automation's webhook. */
  const started = async (settings: Partial<ServeSettings> = {}) => {
    const logged: string[] = []
    const server = await serve({
      dataDir: temporaryFolder(),
      template: schemaTemplate,
      host: '127.0.0.1',
      port: 0,
      pid: process.pid,
      isAlive,
      log: (it) => void logged.push(it),
      reader: 'http',
      ...settings,
    })
    afterFile(() => server.stop())
    const receiver = createServer((_, response) => response.end('<p>Hello there</p>'))
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
    afterFile(() => new Promise((done) => receiver.close(() => done(undefined))))
    const send = (
      method: string,
      path: string,
      body?: object,
      headers = {},
    ): Promise<{ status: number; body: string }> =>
      new Promise((resolve, reject) => {
        const sent = request(
          `${server.url}${path}`,
          {
            method,
            headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json', ...headers },
          },
          async (response) => resolve({ status: response.statusCode ?? 0, body: await text(response) }),
        )
        sent.on('error', reject)
        sent.end(body && JSON.stringify(body))
      })
    const runTest = async (): Promise<string> => {
      const step = {
        name: 'step_1',
        type: 'PIECE',
        settings: {
          pieceName: '@engine/piece-http',
          actionName: 'send_request',
          input: { method: 'GET', url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` },
        },
      }
      const trigger = {
        name: 'trigger',
        type: 'PIECE_TRIGGER',
        settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: {} },
      }
      const { body } = await send('POST', '/api/user/automate/flows', {
        name: 'Reach',
        flow: { trigger, steps: [step] },
      })
      return JSON.parse(body).status
    }
    return { send, runTest, logged }
  }

  test('are reached from loopback until a proxy is in front', async () => {
    const { send, runTest, logged } = await started()
    expect(await runTest()).toBe('active')
    expect((await send('GET', '/api/user/me', undefined, { 'x-forwarded-for': '192.0.2.9' })).status).toBe(200)
    expect(await runTest()).toBe('test_failed')
    expect(logged.filter((it) => it.includes('--allow-private'))).toHaveLength(1)
  })

  test('are refused behind a proxy, and the log says so as information, not as an error', async () => {
    const { send, logged } = await started({ logFormat: 'json' })
    await send('GET', '/api/user/me', undefined, { 'x-forwarded-for': '192.0.2.9' })
    const lines = (): string[] => logged.flatMap((it) => it.split('\n')).filter((it) => it.includes('--allow-private'))
    await expect.poll(() => lines().map((it) => JSON.parse(it).level)).toEqual(['info'])
  })

  test('are reached behind a proxy if they are allowed by name', async () => {
    for (const [privateAddresses, expected] of [
      [['127.0.0.0/8'], 'active'],
      [['127.0.0.1'], 'active'],
      [['10.0.0.0/8', 'crm.lan'], 'test_failed'],
      [true, 'active'],
      [false, 'test_failed'],
    ] as const) {
      const { send, runTest } = await started({ privateAddresses })
      await send('GET', '/api/user/me', undefined, { 'x-forwarded-for': '192.0.2.9' })
      expect(await runTest(), String(privateAddresses)).toBe(expected)
    }
  })
})

describe('a request that never ends', () => {
  test.each([
    ['nothing at all', ''],
    ['half a header', 'GET /healthz HTTP/1.1\r\nhost: local'],
    ['half a body', 'POST /api/user/tools HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n{'],
  ])('is aborted: %s', async (_, bytes) => {
    const server = await listen({
      handle: async () => ({ status: 200, headers: {}, body: '' }),
      host: '127.0.0.1',
      port: 0,
      log: () => {},
      limits: { headersMs: 50, requestMs: 100, checkMs: 20 },
    })
    afterFile(() => server.close())
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.write(bytes)
    expect(await text(socket)).toMatch(/^$|^HTTP\/1\.1 408 /)
  })
})
