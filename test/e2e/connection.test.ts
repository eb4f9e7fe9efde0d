import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { json, startHost, startProxy, startSocket, startTlsHost } from '../support/servers/http-hosts.ts'
import { type Finished, newPlace, parley } from './support/built-program.ts'

// A remote deployment that cannot be reached, or is another service: which of the two, what to do, and every purchase is recorded.

const at = newPlace()
const keyed = { at, env: { PARLEY_API_KEY: '1|abcdefghijklmnop' } }
const ask = (url: string, args = 'keys list --retries 0'): Promise<Finished> =>
  parley(`${args} --base-url ${url}`, keyed)

const shown = (code: number, text: RegExp) => ({ exitCode: code, stdout: '', stderr: expect.stringMatching(text) })

test('an untrusted certificate ends the connection before the key is sent', async () => {
  const host = await startTlsHost(json({ data: [] }))
  expect(await ask(host.url)).toEqual(shown(9, /TLS.*DEPTH_ZERO_SELF_SIGNED_CERT[\s\S]*hint: .*NODE_EXTRA_CA_CERTS/))
  expect(host.seen).toEqual([])
})

test('a read and a write go through a proxy', async () => {
  const made = {
    message: 'Created.',
    api_key: { name: 'ci', token: '2|token', created_at: '2026-11-22T10:00:00.000000Z' },
  }
  const host = await startTlsHost((request, response) =>
    (request.method === 'GET' ? json({ api_keys: [] }) : json(made, 201))(request, response),
  )
  const proxy = await startProxy(host.port)
  const ca = join(at.data, 'ca.pem')
  mkdirSync(at.data, { recursive: true })
  writeFileSync(ca, host.ca)
  const through = { at, env: { ...keyed.env, HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: ca } }
  expect(await parley('keys list --json --base-url https://platform.test', through)).toEqual({
    exitCode: 0,
    stdout: '[]\n',
    stderr: '',
  })
  expect(await parley('keys create --name ci -o id --base-url https://platform.test', through)).toMatchObject({
    exitCode: 0,
    stdout: '2|token\n',
  })
  expect(host.seen).toEqual(['GET /api/user/api-keys', 'POST /api/user/api-keys'])
  expect(new Set(proxy.seen)).toEqual(new Set(['CONNECT platform.test:443']))
})

test('a platform that accepts a connection and never responds', async () => {
  const host = await startSocket(() => {})
  expect(await ask(host.url, 'keys list --retries 0 --timeout 0.3')).toEqual(
    shown(9, /did not respond within 0\.3 s\.\nhint: .*--request-timeout/),
  )
})

test('a read is retried, a purchase never', async () => {
  const host = await startSocket((socket) => socket.destroy())
  expect(await ask(host.url, 'keys list --retries 2')).toMatchObject({ exitCode: 9, stdout: '' })
  expect(host.seen).toHaveLength(3)
  const lost = await ask(host.url, 'numbers buy +15005550006 --yes --retries 2')
  expect(lost).toEqual(shown(12, /unknown[\s\S]*parley ops reconcile/))
  expect(host.seen).toHaveLength(4)
})

test('an HTML page instead of JSON is reported with its content', async () => {
  const host = await startHost(
    (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>Welcome</title><h1>Hello</h1>'),
  )
  const { exitCode, stdout, stderr } = await ask(host.url)
  expect([exitCode, stdout]).toEqual([8, ''])
  expect(stderr).toMatch(/Welcome|HTML|JSON/)
  expect(stderr).toMatch(/hint: .*--base-url/)
})

test('a purchase answered with a page, or with half of a response, has an unknown outcome', async () => {
  const page = await startHost(
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'),
  )
  const half = await startHost((_, response) => {
    response
      .writeHead(201, { 'content-type': 'application/json', 'content-length': 1000 })
      .write('{"message"', () => response.destroy())
  })
  const gateway = await startHost(
    (_, response) => void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
  )
  // Another number each: the open operation of one would stop the same one.
  for (const [n, host] of [page, half, gateway].entries()) {
    expect(await ask(host.url, `numbers buy +1415555010${n} --yes`)).toEqual(shown(12, /parley ops reconcile/))
    expect(host.seen).toHaveLength(1)
  }
})

test('a wrong key exits with 3 and is not printed', async () => {
  const host = await startHost(json({ message: 'Unauthenticated.' }, 401))
  const { exitCode, stderr } = await ask(host.url, 'keys list --debug')
  expect(exitCode).toBe(3)
  expect(stderr).not.toContain('abcdefghijklmnop')
})

test('a missing key exits with 3 and both ways to pass one', async () => {
  expect(await parley('keys list --base-url https://nowhere.invalid', { at })).toEqual(
    shown(3, /Missing API key for https:\/\/nowhere\.invalid\.\nhint: .*PARLEY_API_KEY.*parley login/),
  )
})

test('a busy platform is waited for as long as it asks, and a note says so', async () => {
  let asked = 0
  const host = await startHost((request, response) => {
    if (asked++ === 0) json({ message: 'Too Many Attempts.' }, 429, { 'retry-after': '1' })(request, response)
    else json({ api_keys: [] })(request, response)
  })
  const began = performance.now()
  const { exitCode, stderr } = await ask(host.url, 'keys list')
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/429. Retrying in 1 s/)])
  expect(performance.now() - began).toBeGreaterThan(1000)
})

test('every operation that may have been billed is in the journal, and only that one is open', async () => {
  const all = JSON.parse((await parley('ops list --json', { at })).stdout) as { state: string; input: object }[]
  const open = JSON.parse((await parley('ops list --open --json', { at })).stdout) as object[]
  expect(all.map((it) => it.state)).toEqual(['unknown', 'unknown', 'unknown', 'unknown'])
  expect(open).toEqual(all)
})
