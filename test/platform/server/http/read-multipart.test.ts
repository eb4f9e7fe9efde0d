import { expect, test } from 'vitest'
import { readMultipart } from '../../../../src/platform/server/http/read-multipart.ts'

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

const fieldsOfText = (text: string): unknown => {
  const form = readMultipart('multipart/form-data; boundary=b', Buffer.from(text))
  return form && JSON.parse(form.body)
}

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

test('a form with LF line ends is read, also if a field contains CRLF', () => {
  const form =
    '--b\ncontent-disposition: form-data; name=a\n\nx\r\n\r\n--c\n--b\ncontent-disposition: form-data; name="c"\n\n1\n--b--'
  expect(fieldsOfText(form)).toEqual({ a: 'x\r\n\r\n--c', c: '1' })
})

test('a form without an end, or with a part without a name, is malformed', () => {
  const field = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n'
  expect(fieldsOfText(field)).toBeUndefined()
  expect(fieldsOfText(`${field}--b\r\n\r\n1\r\n--b--`)).toBeUndefined()
  expect(fieldsOfText(`${field}--b--`)).toEqual({ a: '1' })
})

test('names of files are decoded', () => {
  const names = ['x%22y.txt', 'x\\"y.txt'].map(
    (name) =>
      readMultipart(
        'multipart/form-data; boundary="b"',
        Buffer.from(`--b\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n\r\n1\r\n--b--`),
      )?.files[0]?.name,
  )
  expect(names).toEqual(['x"y.txt', 'x"y.txt'])
})
