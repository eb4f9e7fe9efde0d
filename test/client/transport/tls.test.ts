import { expect, test } from 'vitest'
import type { PlainRequest } from '../../../src/contract/endpoint/http-message.ts'
import { json, remote, startHost, startSocket, startTlsHost } from '../../support/servers/http-hosts.ts'

const secretPost: PlainRequest = {
  method: 'POST',
  url: '/api/user/phone-numbers/purchase',
  headers: { authorization: 'Bearer 1|secret' },
  body: '{}',
}
const options = { timeoutMs: 5000 }

test('an untrusted certificate ends the connection before the request is sent', async () => {
  const host = await startTlsHost(json({}))
  await expect(remote(host.url).send(secretPost, options)).rejects.toMatchObject({
    reason: 'tls',
    sent: false,
    message: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT'),
  })
  expect(host.seen).toEqual([])
})

test('the same certificate is accepted with its certificate authority', async () => {
  const host = await startTlsHost(json({ ok: true }))
  const transport = remote(host.url, { ca: host.ca })
  expect(await transport.send(secretPost, options)).toMatchObject({ status: 200, body: '{"ok":true}' })
  expect(await transport.send(secretPost, options)).toMatchObject({ status: 200 })
})

test('a certificate for another name is refused', async () => {
  const host = await startTlsHost(json({}))
  await expect(
    remote(`https://localhost:${host.port}`, { ca: host.ca }).send(secretPost, options),
  ).rejects.toMatchObject({ reason: 'tls', sent: false })
  expect(host.seen).toEqual([])
})

test('https to a port that uses plain http: tls, not sent', async () => {
  const host = await startHost(json({}))
  await expect(remote(`https://127.0.0.1:${host.port}`).send(secretPost, options)).rejects.toMatchObject({
    reason: 'tls',
    sent: false,
  })
  expect(host.seen).toEqual([])
})

test('a connection cut during the handshake: not sent', async () => {
  const host = await startSocket((socket) => socket.resetAndDestroy())
  await expect(remote(`https://127.0.0.1:${host.port}`).send(secretPost, options)).rejects.toMatchObject({
    reason: 'reset',
    sent: false,
  })
})

test('a handshake that never ends: timeout, not sent', async () => {
  const host = await startSocket(() => {})
  await expect(remote(`https://127.0.0.1:${host.port}`).send(secretPost, { timeoutMs: 150 })).rejects.toMatchObject({
    reason: 'timeout',
    sent: false,
  })
})

test('a connection cut after a request over TLS: reset, sent', async () => {
  const host = await startTlsHost((request) => request.socket.destroy())
  await expect(remote(host.url, { ca: host.ca }).send(secretPost, options)).rejects.toMatchObject({
    reason: 'reset',
    sent: true,
  })
})
