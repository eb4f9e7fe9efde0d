import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { getuid, platform } from 'node:process'
import { expect, test } from 'vitest'
import { closedPort, json, startHost } from '../support/servers/http-hosts.ts'
import { type Finished, newPlace, parley, program, run } from './support/built-program.ts'

// A remote deployment that cannot be reached, or is another service: which of the two, what to do, and every purchase is recorded.

const at = newPlace()
const keyed = { at, env: { PARLEY_API_KEY: '1|abcdefghijklmnop' } }
const ask = (url: string, args = 'keys list --retries 0'): Promise<Finished> =>
  parley(`${args} --base-url ${url}`, keyed)

const shown = (code: number, text: RegExp) => ({ exitCode: code, stdout: '', stderr: expect.stringMatching(text) })

test('nothing listens', async () => {
  const url = `http://127.0.0.1:${await closedPort()}`
  const refused = await ask(url, 'keys list --retries 1')
  expect(refused).toEqual(shown(9, /\nerror: Connection refused by http:.*\nhint: .*parley server start/))
  expect(refused.stderr.split('\n')[0]).toMatch(new RegExp(`^Connection refused by ${url}. Retrying in [\\d.]+ s\\.$`))
  expect(refused.stderr).not.toMatch(/answered|request id/)
})

test('the host does not exist', async () => {
  expect(await ask('https://nowhere.invalid')).toEqual(
    shown(
      9,
      /DNS lookup failed for the host of https:\/\/nowhere\.invalid\.\nhint: .* comes from --base-url\. Check --base-url/,
    ),
  )
})

test('https to a port that uses http', async () => {
  const host = await startHost(json({}))
  expect(await ask(host.url.replace('http:', 'https:'))).toEqual(
    shown(9, /The TLS connection to https\S+ failed: wrong version number\.\nhint: Check that it supports https\./),
  )
})

test('a response that ends in the middle', async () => {
  const host = await startHost((_, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
      .write('{"data": [{"id": 1', () => response.destroy())
  })
  expect(await ask(host.url)).toEqual(shown(9, /The response of http.* was cut off/))
})

test('JSON that is not the expected list', async () => {
  const host = await startHost(json({ hello: 'there' }))
  const { exitCode, stdout, stderr } = await ask(host.url)
  expect([exitCode, stdout]).toEqual([8, ''])
  expect(stderr).toMatch(/without the list "api_keys"\.\nhint: .*--base-url/)
})

test('a port of another program that does not use HTTP', async () => {
  const server = createServer((socket) => void socket.end('SSH-2.0-guard\r\n'))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    const { port } = server.address() as { port: number }
    expect(await ask(`http://127.0.0.1:${port}`)).toEqual(shown(9, /No response from http[\s\S]*hint: .+/))
  } finally {
    server.close()
  }
})

const canIsolate = platform === 'linux' && getuid?.() === 0 && spawnSync('unshare', ['--net', 'true']).status === 0
if (!canIsolate) console.warn('NOT RUN: a machine without a network needs root and network namespaces of Linux.')

test.skipIf(!canIsolate)('without any network, the local platform works, and a remote one is exit code 9', async () => {
  const place = newPlace()
  const offline = (line: string, env: Readonly<Record<string, string>> = {}) =>
    run('unshare', ['--net', ...program, ...line.split(' ')], { at: place, env })
  const [number] = JSON.parse((await offline('numbers search --country US --limit 1 --json')).stdout)
  expect(await offline(`numbers buy ${number.phone_number} --yes -o id`)).toMatchObject({ exitCode: 0 })
  expect((await offline('doctor --json')).exitCode).toBe(0)
  const remote = await offline('keys list --retries 0 --base-url https://platform.example', keyed.env)
  expect(remote).toEqual(
    shown(9, /DNS lookup failed for the host of https:\/\/platform\.example\.\nhint: .*the network/),
  )
})
