import { expect, test } from 'vitest'
import { readMultipart } from '../../../src/server/http/read-multipart.ts'

const part = (name: string, value: string | Buffer, type = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`--b\r\ncontent-disposition: form-data; name="${name}"\r\n${type && `content-type: ${type}\r\n`}\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ])

const fieldsOf = (...parts: Buffer[]): unknown =>
  JSON.parse(
    readMultipart('multipart/form-data; boundary=b', Buffer.concat([...parts, Buffer.from('--b--\r\n')]))?.body ?? '',
  )

test('a field of a form that occurs more than once is a list', () => {
  expect(fieldsOf(part('a', '1'), part('b[]', '2'), part('a', '3'), part('a', '4'), part('c', '5'))).toEqual({
    a: ['1', '3', '4'],
    b: ['2'],
    c: '5',
  })
})

test('a field of a form has the character set of its part', () => {
  expect(fieldsOf(part('a', Buffer.from('é', 'latin1'), 'text/plain; charset=latin1'), part('b', '\ufeffé'))).toEqual({
    a: 'é',
    b: 'é',
  })
})
