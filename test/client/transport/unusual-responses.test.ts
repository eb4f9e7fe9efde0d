import { expect, onTestFinished, test } from 'vitest'
import { remote, startSocket } from '../../support/servers/http-hosts.ts'

// What a request resolves or rejects with for every form of a response, however the server sends it.

const read = { method: 'GET', url: '/api/user/api-keys', headers: { accept: 'application/json' } }

const ok = 'HTTP/1.1 200 OK\r\n'
const answer = (body: string, headers: object, status = 200) => ({ status, headers, body })
const failure = (reason: string, message: string) => ({ name: 'TransportError', reason, message, sent: true })

const packets: readonly (readonly [name: string, parts: readonly string[], outcome: object])[] = [
  [
    'a response with a length',
    [`${ok}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`],
    answer('{}', { 'content-type': 'application/json', 'content-length': '2' }),
  ],
  [
    'a head in several packets',
    ['HTTP/1.1 2', '00 OK\r\ncontent-le', 'ngth: 2\r\n', '\r', '\n{', '}'],
    answer('{}', { 'content-length': '2' }),
  ],
  ['an empty body', [`${ok}content-length: 0\r\n\r\n`], answer('', { 'content-length': '0' })],
  ['no body', ['HTTP/1.1 204 No Content\r\n\r\n'], answer('', {}, 204)],
  [
    'a response without a reason',
    ['HTTP/1.1 200\r\ncontent-length: 2\r\n\r\n{}'],
    answer('{}', { 'content-length': '2' }),
  ],
  [
    'a response in chunks',
    [`${ok}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`, '1\r\n}\r\n0\r\n\r\n'],
    answer('{}', { 'transfer-encoding': 'chunked' }),
  ],
  [
    'a response that ends with the connection',
    [`${ok}connection: close\r\n\r\n{"a"`, ':1}'],
    answer('{"a":1}', { connection: 'close' }),
  ],
  [
    'an interim response',
    ['HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n', `${ok}content-length: 2\r\n\r\n{}`],
    answer('{}', { 'content-length': '2' }),
  ],
  ['HTTP/1.0', ['HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}'], answer('{}', { 'content-length': '2' })],
  [
    'repeated headers',
    [`${ok}set-cookie: a=1\r\nset-cookie: b=2\r\nvia: a\r\nvia: b\r\ncontent-length: 2\r\n\r\n{}`],
    answer('{}', { 'set-cookie': 'a=1, b=2', via: 'a, b', 'content-length': '2' }),
  ],
  [
    'two lengths',
    [`${ok}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`],
    failure('other', 'the response is not HTTP (HPE_UNEXPECTED_CONTENT_LENGTH)'),
  ],
  [
    'a length and chunks',
    [`${ok}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`],
    failure('other', 'the response is not HTTP (HPE_INVALID_TRANSFER_ENCODING)'),
  ],
  [
    'more bytes than the length',
    [`${ok}content-length: 2\r\n\r\n{} and more`],
    failure('other', 'the response is not HTTP (HPE_INVALID_CONSTANT)'),
  ],
  [
    'a folded header',
    [`${ok}x-long: a\r\n b\r\ncontent-length: 2\r\n\r\n{}`],
    failure('other', 'the response is not HTTP (HPE_INVALID_HEADER_TOKEN)'),
  ],
  [
    'a header with spaces around it',
    [`${ok}x-padded: \t a b \t\r\ncontent-length: 2\r\n\r\n{}`],
    answer('{}', { 'x-padded': 'a b', 'content-length': '2' }),
  ],
  [
    'a header of other characters',
    [`${ok}x-name: \xe9\r\ncontent-length: 2\r\n\r\n{}`],
    answer('{}', { 'x-name': 'é', 'content-length': '2' }),
  ],
  [
    'a status line of another protocol',
    ['ICY 200 OK\r\ncontent-length: 2\r\n\r\n{}'],
    failure('other', 'the response is not HTTP (HPE_INVALID_CONSTANT)'),
  ],
  [
    'a page instead of HTTP',
    ['<html>no</html>\r\n\r\n'],
    failure('other', 'the response is not HTTP (HPE_INVALID_CONSTANT)'),
  ],
  [
    'lines without carriage returns',
    ['HTTP/1.1 200 OK\ncontent-length: 2\n\n{}'],
    failure('other', 'the response is not HTTP (HPE_CR_EXPECTED)'),
  ],
  ['half a head', [`${ok}content-`], failure('reset', 'socket hang up (ECONNRESET)')],
  ['half a body', [`${ok}content-length: 9\r\n\r\n{"`], failure('truncated', 'the response was cut off')],
  [
    'an unsupported compression',
    [`${ok}content-encoding: zstd\r\ncontent-length: 2\r\n\r\n{}`],
    failure('other', 'the response uses the unsupported compression "zstd"; supported are gzip, deflate and br'),
  ],
  ['nothing', [], failure('reset', 'socket hang up (ECONNRESET)')],
]

test.each(packets)('%s', async (_, parts, expected) => {
  const host = await startSocket(async (socket) => {
    socket.setNoDelay(true)
    for (const part of parts) {
      socket.write(part, 'latin1')
      await new Promise((done) => setImmediate(done))
    }
    socket.end()
  })
  const transport = remote(host.url)
  onTestFinished(() => transport.close())
  const outcome = await transport.send(read, { timeoutMs: 5000 }).catch((error) => {
    const { name, reason, message, sent } = error
    return { name, reason, message, sent }
  })
  expect(outcome).toEqual(expected)
})
