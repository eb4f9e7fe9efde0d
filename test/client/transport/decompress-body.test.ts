import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { PlainRequest } from '../../../src/contract/endpoint/http-message.ts'
import { remote, startHost, startProxy } from '../../support/servers/http-hosts.ts'

const get = (url: string): PlainRequest => ({ method: 'GET', url, headers: {} })
const body = Buffer.from(JSON.stringify({ name: 'größe', list: Array.from({ length: 300 }, (_, id) => ({ id })) }))
const compressed: Readonly<Record<string, readonly [coding: string, body: Buffer]>> = {
  '/gzip': ['gzip', gzipSync(body)],
  '/br': ['br', brotliCompressSync(body)],
  '/deflate': ['deflate', deflateSync(body)],
  '/raw': ['deflate', deflateRawSync(body)],
  '/both': ['gzip, br', brotliCompressSync(gzipSync(body))],
  '/identity': ['identity', body],
}

const host = () =>
  startHost((request, response) => {
    const [coding = 'zstd', bytes = body] = compressed[request.url ?? ''] ?? []
    if (request.url === '/broken') response.writeHead(200, { 'content-encoding': 'gzip' }).end(body)
    else if (request.url === '/bomb')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(8 * 1024 * 1024)))
    else if (request.url === '/none') response.writeHead(204, { 'content-encoding': 'gzip' }).end()
    else response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding }).end(bytes)
  })

test.each(Object.keys(compressed))('a compressed response that was not requested is read: %s', async (url) => {
  const answer = await remote((await host()).url).send(get(url), { timeoutMs: 5000 })
  expect(answer).toMatchObject({ status: 200, body: body.toString('utf8') })
  expect(answer.headers).not.toHaveProperty('content-encoding')
})

test('a response with an unknown or damaged encoding, or beyond the size limit, is reported', async () => {
  const transport = remote((await host()).url, { maxBytes: 1024 * 1024 })
  const send = (url: string) => transport.send(get(url), { timeoutMs: 5000 })
  await expect(send('/zstd')).rejects.toMatchObject({
    reason: 'other',
    sent: true,
    message: expect.stringContaining('unsupported compression "zstd"'),
  })
  await expect(send('/broken')).rejects.toMatchObject({
    reason: 'truncated',
    sent: true,
    message: 'the response could not be decompressed (gzip)',
  })
  await expect(send('/bomb')).rejects.toMatchObject({
    reason: 'other',
    sent: true,
    message: 'the response is larger than 1 MB',
  })
  expect(await send('/none')).toMatchObject({ status: 204, body: '' })
})

test('a response through a proxy is read too', async () => {
  const { port } = await host()
  const proxy = await startProxy(port)
  const transport = remote('http://platform.test', { env: { http_proxy: proxy.url }, insecure: true })
  expect((await transport.send(get('/gzip'), { timeoutMs: 5000 })).status).toBe(200)
})
