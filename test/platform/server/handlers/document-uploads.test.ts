import { deflateRawSync, deflateSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../../src/platform.ts'

async function started(options = {}): Promise<TestPlatform> {
  const platform = await startPlatform({ seed: 7, ...options })
  onTestFinished(() => platform.close())
  return platform
}

const path = '/api/user/knowledgebases/1/documents'

interface Answer {
  readonly data: Readonly<Record<string, unknown>>
  readonly errors: Readonly<Record<string, readonly string[]>>
}

/** Sends a form, as browsers and other clients do. */
async function send(platform: TestPlatform, fields: Readonly<Record<string, string | File>>) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  const response = await platform.fetch(path, { method: 'POST', body: form })
  return { status: response.status, body: (await response.json()) as Answer }
}

const pdf = (stream: Buffer, filter = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`%PDF-1.4\n1 0 obj\n<< /Length ${stream.length}${filter} >>\nstream\n`),
    stream,
    Buffer.from('\nendstream\nendobj\n%%EOF'),
  ])
const shown = Buffer.from(
  'BT /F1 12 Tf 72 700 Td (Parking is \\(free\\)) Tj 0 -14 Td [(behi) 20 (nd) -300 (the house)] TJ ET',
)

/** Returns a ZIP archive with one entry. */
function zip(name: string, content: string): Buffer {
  const data = deflateRawSync(content)
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  local.writeUInt16LE(8, 8)
  local.writeUInt16LE(name.length, 26)
  const central = Buffer.alloc(46)
  central.writeUInt32LE(0x02014b50, 0)
  central.writeUInt16LE(8, 10)
  central.writeUInt32LE(data.length, 20)
  central.writeUInt16LE(name.length, 28)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(30 + name.length + data.length, 16)
  return Buffer.concat([local, Buffer.from(name), data, central, Buffer.from(name), end])
}

test.each<readonly [type: string, content: Buffer, text: string]>([
  ['txt', Buffer.from('Parking is free\r\nbehind the house.'), 'Parking is free\nbehind the house.'],
  ['pdf', pdf(shown), 'Parking is (free)\nbehind the house'],
  ['pdf', pdf(deflateSync(shown), ' /Filter /FlateDecode'), 'Parking is (free)\nbehind the house'],
  [
    'docx',
    zip('word/document.xml', '<w:p><w:r><w:t>Parking &amp; arrival</w:t></w:r></w:p><w:p><w:t>Free.</w:t></w:p>'),
    'Parking & arrival\n\nFree.',
  ],
])('an uploaded %s file is processed, and assistants find its text', async (type, content, text) => {
  const platform = await started({ clock: '2027-03-01T09:00:00Z' })
  const file = new File([new Uint8Array(content)], `Parking "lot".${type}`)
  const { status, body } = await send(platform, { name: 'Parking', type, file })
  expect([status, body]).toEqual([
    201,
    {
      message: 'Document created successfully.',
      data: expect.objectContaining({ name: 'Parking', type, status: 'processing', status_label: 'Processing' }),
    },
  ])
  await platform.control('POST', 'drain')
  expect(await (await platform.fetch(`${path}/${body.data.id}`)).json()).toMatchObject({
    data: { status: 'active', error: null },
  })
  const { data } = (await platform.control('GET', 'export')) as {
    data: { accounts: { knowledge: { documents: object[] }[] }[] }
  }
  expect(data.accounts[0]?.knowledge[0]?.documents.at(-1)).toMatchObject({
    type,
    file: `Parking "lot".${type}`,
    pages: [{ text }],
  })
})

test.each([
  ['pdf', 'no PDF'],
  ['docx', 'no archive'],
  ['txt', 'a\0b'],
])('a %s file without readable text fails', async (type, content) => {
  const platform = await started({ clock: '2027-03-01T09:00:00Z' })
  const { body } = await send(platform, { name: 'Broken', type, file: new File([content], 'x') })
  await platform.control('POST', 'drain')
  expect(await (await platform.fetch(`${path}/${body.data.id}`)).json()).toMatchObject({
    data: { status: 'failed', error: 'No text could be read from the file.' },
  })
})

test('a website is added with a form, too', async () => {
  const platform = await started()
  const { status, body } = await send(platform, {
    name: 'Site',
    description: '',
    type: 'website',
    'links[0][link]': 'https://northwind.example/a',
    relative_links_limit: '5',
  })
  expect([status, body.data]).toEqual([201, expect.objectContaining({ type: 'website', description: null })])
})

test('invalid forms are refused with the documented statuses', async () => {
  const platform = await started()
  const missing = await send(platform, { name: 'x', type: 'pdf' })
  expect([missing.status, Object.keys(missing.body.errors)]).toEqual([422, ['file']])
  const large = await send(platform, {
    name: 'x',
    type: 'txt',
    file: new File([new Uint8Array(20 * 1024 * 1024 + 1)], 'x.txt'),
  })
  expect([large.status, large.body.errors]).toEqual([
    422,
    { file: ['The file field must not be greater than 20480 kilobytes.'] },
  ])
  const unknown = await send(platform, { name: 'x', type: 'txt', file: new File(['x'], 'x.txt'), more: '1' })
  expect([unknown.status, unknown.body.errors]).toEqual([422, { more: ['The more field is not recognized.'] }])
  const post = async (body: string | Uint8Array<ArrayBuffer>, type: string, to = path): Promise<number> =>
    (await platform.fetch(to, { method: 'POST', body, headers: { 'content-type': type } })).status
  expect(await post('x', 'multipart/form-data')).toBe(400)
  expect(await post('--b\r\nno end', 'multipart/form-data; boundary=b')).toBe(400)
  expect(await post('--b--\r\n', 'multipart/form-data; boundary=b')).toBe(422)
  expect(await post('--b--\r\n', 'multipart/form-data; boundary=b', '/api/user/knowledgebases')).toBe(415)
  expect(await post(new Uint8Array(22 * 1024 * 1024), 'multipart/form-data; boundary=b')).toBe(413)
})

test('the typed client uploads files', async () => {
  const platform = await started()
  const { data } = await platform.client.knowledge.createDocument({
    id: 1,
    name: 'Parking',
    type: 'txt',
    file: new File(['Parking is free.'], 'parking.txt'),
  })
  expect(data).toMatchObject({ name: 'Parking', type: 'txt' })
})
