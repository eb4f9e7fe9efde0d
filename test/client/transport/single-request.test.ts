import { expect, test } from 'vitest'
import type { PlainRequest, PlainResponse } from '../../../src/contract/mechanics/http-message.ts'
import { remote, startSocket } from '../../support/servers/http-hosts.ts'

// The first request over http is written and read without node:http. Its result must be the same.

const read: PlainRequest = { method: 'GET', url: '/api/user/api-keys', headers: { accept: 'application/json' } }
/** The same request in a form that only node:http writes. */
const readWithHttp: PlainRequest = { ...read, headers: { ...read.headers, 'x-name': 'é' } }

const ok = 'HTTP/1.1 200 OK\r\n'
const packets: Readonly<Record<string, readonly string[]>> = {
  'a response with a length': [`${ok}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`],
  'a head in several packets': ['HTTP/1.1 2', '00 OK\r\ncontent-le', 'ngth: 2\r\n', '\r', '\n{', '}'],
  'an empty body': [`${ok}content-length: 0\r\n\r\n`],
  'no body': ['HTTP/1.1 204 No Content\r\n\r\n'],
  'a response without a reason': ['HTTP/1.1 200\r\ncontent-length: 2\r\n\r\n{}'],
  'a response in chunks': [`${ok}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`, '1\r\n}\r\n0\r\n\r\n'],
  'a response that ends with the connection': [`${ok}connection: close\r\n\r\n{"a"`, ':1}'],
  'an interim response': ['HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n', `${ok}content-length: 2\r\n\r\n{}`],
  'HTTP/1.0': ['HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}'],
  'repeated headers': [`${ok}set-cookie: a=1\r\nset-cookie: b=2\r\nvia: a\r\nvia: b\r\ncontent-length: 2\r\n\r\n{}`],
  'two lengths': [`${ok}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`],
  'a length and chunks': [`${ok}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`],
  'more bytes than the length': [`${ok}content-length: 2\r\n\r\n{} and more`],
  'a folded header': [`${ok}x-long: a\r\n b\r\ncontent-length: 2\r\n\r\n{}`],
  'a header with spaces around it': [`${ok}x-padded: \t a b \t\r\ncontent-length: 2\r\n\r\n{}`],
  'a header of other characters': [`${ok}x-name: \xe9\r\ncontent-length: 2\r\n\r\n{}`],
  'a status line of another protocol': ['ICY 200 OK\r\ncontent-length: 2\r\n\r\n{}'],
  'a page instead of HTTP': ['<html>no</html>\r\n\r\n'],
  'lines without carriage returns': ['HTTP/1.1 200 OK\ncontent-length: 2\n\n{}'],
  'half a head': [`${ok}content-`],
  'half a body': [`${ok}content-length: 9\r\n\r\n{"`],
  'an unsupported compression': [`${ok}content-encoding: zstd\r\ncontent-length: 2\r\n\r\n{}`],
  nothing: [],
}

test.each(Object.entries(packets))('%s', async (_, parts) => {
  const host = await startSocket(async (socket) => {
    socket.setNoDelay(true)
    for (const part of parts) {
      socket.write(part, 'latin1')
      await new Promise((done) => setImmediate(done))
    }
    socket.end()
  })
  const outcome = async (request: PlainRequest): Promise<PlainResponse | object> => {
    const transport = remote(host.url)
    try {
      return await transport.send(request, { timeoutMs: 5000 })
    } catch (error) {
      const { name, reason, message, sent } = error as Error & { readonly reason: string; readonly sent: boolean }
      return { name, reason, message, sent }
    } finally {
      await transport.close()
    }
  }
  expect(await outcome(read)).toEqual(await outcome(readWithHttp))
})
