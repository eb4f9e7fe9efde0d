import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/create-client.ts'
import { openJournal } from '../../src/client/journal/journal.ts'
import { keys } from '../../src/contract/resources/keys.ts'
import { numbers } from '../../src/contract/resources/numbers.ts'
import { failureOf } from '../support/scripted-client.ts'
import { closedPort, json, remote, startHost, startSocket, startTlsHost } from '../support/servers/http-hosts.ts'

function client(url: string, more: { timeoutMs?: number; retries?: number } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-wire-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  let ids = 0
  const newId = (): string => `id-${++ids}`
  const journal = openJournal({ file: join(folder, 'spends.ndjson'), now: Date.now, newId })
  const call = createClient({
    transport: remote(url),
    key: '1|k',
    retries: more.retries ?? 3,
    timeoutMs: more.timeoutMs ?? 5000,
    sleep: async () => {},
    random: Math.random,
    now: Date.now,
    newId,
    journal: async () => journal,
  })
  return { call, journal }
}

const buy = { phone_number: '+14155550123' }

test('a purchase whose response is cut off is made once, exits with 12 and stays open in the journal', async () => {
  const host = await startSocket((socket, received) => {
    if (received.includes('+14155550123')) socket.resetAndDestroy()
  })
  const { call, journal } = client(host.url)
  expect(await failureOf(call(numbers.buy, buy))).toMatchObject({
    exit: 'unknown',
    code: 'outcome_unknown',
    sent: true,
  })
  expect(host.seen.filter((it) => it.includes('+14155550123'))).toHaveLength(1)
  expect(journal.list({ open: true })).toMatchObject([{ state: 'unknown', input: buy }])
})

test('a purchase whose response ends in the middle exits with 12', async () => {
  const host = await startSocket((socket) =>
    socket.end('HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n{"message"'),
  )
  expect(await failureOf(client(host.url).call(numbers.buy, buy))).toMatchObject({ exit: 'unknown', sent: true })
})

test('a slow purchase exits with 12, and a slow read with 9', async () => {
  const host = await startHost(() => {})
  const { call } = client(host.url, { timeoutMs: 100, retries: 1 })
  expect(await failureOf(call(numbers.buy, buy))).toMatchObject({ exit: 'unknown' })
  expect(host.seen).toHaveLength(1)
  expect(await failureOf(call(keys.list, {}))).toMatchObject({ exit: 'connection', code: 'connection_timeout' })
  expect(host.seen).toHaveLength(3)
})

test('a purchase without a connection or a trusted certificate did not happen', async () => {
  const anonymous = client(`http://127.0.0.1:${await closedPort()}`)
  expect(await failureOf(anonymous.call(numbers.buy, buy))).toMatchObject({
    exit: 'connection',
    sent: false,
    hint: expect.stringContaining('--base-url'),
  })
  const host = await startTlsHost(json({}))
  const untrusted = client(host.url)
  expect(await failureOf(untrusted.call(numbers.buy, buy))).toMatchObject({
    exit: 'connection',
    code: 'connection_tls',
    hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  })
  expect([...anonymous.journal.list(), ...untrusted.journal.list()].map((it) => it.state)).toEqual([
    'refused',
    'refused',
  ])
})

test('a read succeeds on a platform that fails twice', async () => {
  let attempts = 0
  const host = await startHost((request, response) => {
    attempts++
    if (attempts === 1) return void request.socket.destroy()
    if (attempts === 2) return void response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>busy</h1>')
    json({ api_keys: [{ id: 1 }] })(request, response)
  })
  expect(await client(host.url).call.raw(keys.list, {})).toMatchObject({
    attempts: 3,
    output: { api_keys: [{ id: 1 }] },
  })
})

test('a web page instead of a platform is reported as such', async () => {
  const host = await startHost((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome to nginx!</title>'),
  )
  expect(await failureOf(client(host.url).call(keys.list, {}))).toMatchObject({
    exit: 'platform',
    message: `${host.url} returned 200 with text/html instead of JSON: "Welcome to nginx!"`,
    hint: 'Check that --base-url is the address of the platform.',
  })
})
