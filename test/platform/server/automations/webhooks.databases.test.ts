import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseJson, stringifyJson } from '../../../../src/node/json.ts'
import { listen } from '../../../../src/platform/server/http/listen.ts'
import { databases } from '../../../support/databases.ts'
import { code, hook, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform, type Owner } from '../../../support/platform/automation-platform.ts'

const automationsPage = readFileSync(new URL('../../../../docs/automations.md', import.meta.url), 'utf8')
const echo = { trigger: hook, steps: [respond('{{trigger}}')] }

describe.each(databases)('webhooks on $name', (database) => {
  const platform = automationPlatform(database)
  let by: Owner
  let id: string
  beforeAll(async () => {
    by = await platform.owner()
    id = (await platform.create(by, { flow: echo })).body.automation_id
  })
  const runs = async (): Promise<number> => (await platform.runs(by, id, '?limit=20')).body.runs.length
  const send = (url: string, headers: Record<string, string>, bytes: Buffer, method = 'POST') =>
    platform.api().platform.handle({
      method,
      url,
      headers: { host: 'hooks.example', ...headers },
      body: bytes.toString('utf8'),
      bytes,
    })
  const post = async (type: string, bytes: Buffer) =>
    JSON.parse((await send(`/automate/api/v1/webhooks/${id}/sync`, { 'content-type': type }, bytes)).body)
  const read = (url: string, method = 'GET') =>
    platform.api().platform.handle({ method, url: new URL(url).pathname, headers: {} })

  test('answer preflights of any web page, and start nothing', async () => {
    const before = await runs()
    const asks = {
      origin: 'https://shop.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type, x-signature',
    }
    const { status, headers, body } = await platform.call(id, '', undefined, { method: 'OPTIONS', headers: asks })
    expect([status, body]).toEqual([204, ''])
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'content-type, x-signature',
    })
    expect(headers['access-control-allow-methods']).toContain('POST')
    expect(await runs()).toBe(before)
  })

  test('can be called by web pages, unless the flow restricts the callers', async () => {
    expect((await platform.call(id, '/sync', {})).headers['access-control-allow-origin']).toBe('*')
    expect((await platform.call('nobody')).headers['access-control-allow-origin']).toBe('*')
    const named = respond(
      {},
      { fields: { status: 200, headers: { 'Access-Control-Allow-Origin': 'https://shop.example' }, body: {} } },
    )
    const strict = (await platform.create(by, { flow: { trigger: hook, steps: [named] } })).body.automation_id
    expect((await platform.call(strict, '/sync', {})).headers['access-control-allow-origin']).toBe(
      'https://shop.example',
    )
  })

  test('answer HEAD like a call, and start nothing', async () => {
    const before = await runs()
    expect(await platform.call(id, '', undefined, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    expect(await platform.call(id, '/sync', undefined, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    expect(await platform.call('no caller', '', undefined, { method: 'HEAD' })).toMatchObject({ status: 410, body: '' })
    expect(await runs()).toBe(before)
  })

  test('resume a run only by a call, and report a second one', async () => {
    const ask = {
      ...respond({}),
      settings: { ...respond({ ok: true }).settings, actionName: 'return_response_and_wait_for_next_webhook' },
    }
    const { body } = await platform.create(by, { flow: { trigger: hook, steps: [ask, code('1')] } })
    const { headers } = await platform.call(body.automation_id, '/sync', {})
    const at = new URL(headers['x-engine-resume-webhook-url'] ?? '').pathname
    expect((await platform.call(at, '', undefined, { method: 'HEAD' })).status).toBe(200)
    expect((await platform.call(at, '', undefined, { method: 'OPTIONS' })).status).toBe(204)
    expect((await platform.runs(by, body.automation_id, `?run_id=${headers['x-webhook-id']}`)).body.run.status).toBe(
      'PAUSED',
    )
    expect((await platform.call(at, '', {})).status).toBe(200)
    expect(JSON.parse((await platform.call(at, '', {})).body).message).toContain(
      'This resume URL has already been used.',
    )
    expect((await platform.call(at, '', undefined, { method: 'HEAD' })).status).toBe(409)
    expect((await platform.call('/automate/api/v1/flow-runs/none.step_1')).status).toBe(410)
  })

  test('accept forms with files, and pass the URLs of the files', async () => {
    const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 13, 10, 45, 45, 0])
    const part = (head: string, content: Buffer | string) => [
      Buffer.from(`--xx--yy\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]
    const form = Buffer.concat([
      ...part('name="who"', 'Ada Ünal'),
      ...part('name="tag"', 'a'),
      ...part('name="tag"', 'b'),
      ...part('name="photo"; filename="my photo.png"\r\nContent-Type: image/png', picture),
      ...part('name="notes"; filename="notes.txt"\r\nContent-Type: text/plain', 'hello'),
      Buffer.from('--xx--yy--\r\n'),
    ])
    const { body } = await post('multipart/form-data; boundary="xx--yy"', form)
    expect(body).toEqual({
      who: 'Ada Ünal',
      tag: ['a', 'b'],
      photo: expect.stringMatching(/^http:\/\/hooks\.example\/automate\/api\/v1\/files\/\d+-\d+-\w{32}$/),
      notes: expect.stringMatching(/^http:\/\/hooks\.example\//),
    })
    const photo = await read(body.photo)
    expect(photo).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="my photo.png"' },
    })
    expect(Buffer.from(photo.bytes ?? '').equals(picture)).toBe(true)
    expect(Buffer.from((await read(body.notes)).bytes ?? '').toString()).toBe('hello')
    expect((await read(`${body.photo}x`)).status).toBe(404)
  })

  test('accept a form with many values of one name', async () => {
    // A list that is copied for each value would take hours.
    const part = '--b\r\nContent-Disposition: form-data; name="n"\r\n\r\nx\r\n'
    const form = Buffer.from(`${part.repeat(60_000)}--b--\r\n`)
    expect((await post('multipart/form-data; boundary=b', form)).body.n).toHaveLength(60_000)
  })

  test('answer with pages that have no access to the inspector, which has the same address', async () => {
    const headersOfFlow = { 'Content-Type': 'text/html', 'Content-Security-Policy': "default-src 'self'" }
    const page = respond('', {
      responseType: 'raw',
      fields: { status: 200, headers: headersOfFlow, body: '<p>Hi</p>' },
    })
    const { body } = await platform.create(by, { flow: { trigger: hook, steps: [page] } })
    const { headers } = await platform.call(body.automation_id, '/sync', {})
    expect(headers['content-security-policy']).toMatch(/^default-src 'self', sandbox (?!.*allow-same-origin)/)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect((await platform.call(id, '/sync', {})).headers['content-security-policy']).toBeUndefined()
  })

  test('accept a file as the whole body', async () => {
    const bytes = Buffer.from([1, 2, 250, 0, 255])
    const { body } = await post('application/pdf', bytes)
    expect(Object.keys(body)).toEqual(['fileUrl'])
    expect(Buffer.from((await read(body.fileUrl)).bytes ?? '').equals(bytes)).toBe(true)
    expect((await post('text/plain', Buffer.from('hello'))).body).toBe('hello')
    expect((await post('application/x-unknown', Buffer.from('text after all'))).body).toBe('text after all')
  })

  test('refuse a body that is not the JSON that its type names, and start no run', async () => {
    const before = await runs()
    for (const type of ['application/json', 'application/json; charset=utf-8', 'application/vnd.api+json'])
      for (const path of [`/automate/api/v1/webhooks/${id}`, `/automate/api/v1/webhooks/${id}/sync`]) {
        const { status, body } = await send(path, { 'content-type': type }, Buffer.from('{"name": "Ada"'))
        expect({ status, ...JSON.parse(body) }).toEqual({
          status: 400,
          message: 'The request body is not valid JSON. For text, send it as text/plain.',
        })
      }
    expect(await runs()).toBe(before)
    expect((await post('text/plain', Buffer.from('{"name": "Ada"'))).body).toBe('{"name": "Ada"')
  })

  test('keep files for 30 days', async () => {
    const { body } = await post('application/octet-stream', Buffer.from([255]))
    platform.time.ms += 32 * 24 * 3600_000
    await post('application/octet-stream', Buffer.from([254]))
    expect((await read(body.fileUrl)).status).toBe(404)
  })

  test('pass the raw body only to flows that check its signature', async () => {
    const text = '{ "b": 1,\n "a": "é" }'
    expect(await post('application/json', Buffer.from(text))).not.toHaveProperty('rawBody')
    const checking = { trigger: hook, steps: [respond({ raw: "{{trigger['rawBody']}}", body: "{{trigger['body']}}" })] }
    const other = (await platform.create(by, { flow: checking })).body.automation_id
    const answer = await send(
      `/automate/api/v1/webhooks/${other}/sync`,
      { 'content-type': 'application/json' },
      Buffer.from(text),
    )
    expect(JSON.parse(answer.body)).toEqual({ raw: text, body: { b: 1, a: 'é' } })
  })

  test('pass the exact bytes of uploads, whose signature a code step can check', async () => {
    const checking = {
      trigger: hook,
      steps: [
        {
          type: 'CODE',
          settings: {
            sourceCode: { code: /```js\n(export const code[\s\S]*?)```/.exec(automationsPage)?.[1], packageJson: '{}' },
            input: {
              body: '{{trigger.rawBody}}',
              encoding: '{{trigger.rawBodyEncoding}}',
              signature: "{{trigger.headers['x-signature']}}",
              secret: 'secret',
            },
          },
        },
        respond('{{step_1}}'),
      ],
    }
    const other = (await platform.create(by, { flow: checking })).body.automation_id
    const multipart = Buffer.from(
      '--b\r\ncontent-disposition: form-data; name="f"; filename="x"\r\n\r\n\xff\xfe\r\n--b--\r\n',
      'latin1',
    )
    for (const [type, bytes] of [
      ['application/pdf', Buffer.from('%PDF-1.4\xe2\xe3', 'latin1')],
      ['application/octet-stream', Buffer.from([255, 0, 254, 10, 13])],
      ['multipart/form-data; boundary=b', multipart],
      ['multipart/form-data; boundary=b', Buffer.from(multipart.toString('latin1').replace('\xff\xfe', 'é'))],
      ['application/json', Buffer.from('\ufeff{"é":1}')],
      ['application/json; charset=latin1', Buffer.from('{"\xe9":1}', 'latin1')],
      ['application/x-www-form-urlencoded', Buffer.from('a=1&a=2')],
    ] as const) {
      const signature = createHmac('sha256', 'secret').update(bytes).digest('hex')
      const path = `/automate/api/v1/webhooks/${other}/sync`
      const { body } = await send(path, { 'content-type': type, 'x-signature': signature }, Buffer.from(bytes))
      expect({ type, ...JSON.parse(body) }).toEqual({ type, isRight: true, length: bytes.length })
    }
  })

  test('pass repeated form fields and query parameters as lists', async () => {
    const form = Buffer.from('tag=a&tag=b&tag=c&x=1&__proto__=p&__proto__=q')
    const fields = '{"tag":["a","b","c"],"x":"1","__proto__":["p","q"]}'
    expect(JSON.stringify((await post('application/x-www-form-urlencoded', form)).body)).toBe(fields)
    const parts = ['a', 'b'].map((value) => `--b\r\ncontent-disposition: form-data; name="tag"\r\n\r\n${value}\r\n`)
    expect((await post('multipart/form-data; boundary=b', Buffer.from(`${parts.join('')}--b--\r\n`))).body).toEqual({
      tag: ['a', 'b'],
    })
    const { body } = await send(`/automate/api/v1/webhooks/${id}/sync?tag=a&tag=b&x=1`, {}, Buffer.from(''), 'GET')
    expect(JSON.parse(body).queryParams).toEqual({ tag: ['a', 'b'], x: '1' })
  })

  test('read compressed bodies, byte order marks and character sets', async () => {
    const server = await listen({ handle: platform.api().platform.handle, host: '127.0.0.1', port: 0, log: () => {} })
    const text = '{"a":"é","id":9007199254740993}'
    const ask = async (path: string, headers: Record<string, string>, body: Buffer) => {
      const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: new Uint8Array(body) })
      return { status: answer.status, text: await answer.text() }
    }
    const echoed = async (headers: Record<string, string>, body: Buffer) => {
      const answer = await ask(`/automate/api/v1/webhooks/${id}/sync`, headers, body)
      expect(answer.status).toBe(200)
      return stringifyJson(parseJson(answer.text).body)
    }
    const json = 'application/json'
    try {
      for (const [coding, body] of [
        ['gzip', gzipSync(text)],
        ['x-gzip', gzipSync(text)],
        ['br', brotliCompressSync(text)],
        ['deflate', deflateSync(text)],
        ['deflate', deflateRawSync(text)],
        ['identity', Buffer.from(text)],
        ['gzip, br', brotliCompressSync(gzipSync(text))],
      ] as const) {
        expect(await echoed({ 'content-type': json, 'content-encoding': coding }, body)).toBe(text)
        const made = await ask(
          '/api/user/tools',
          { 'content-type': json, 'content-encoding': coding, authorization: `Bearer ${by.key}` },
          coding === 'gzip' ? gzipSync('{}') : body,
        )
        expect(made.status).toBe(422)
      }
      for (const path of [`/automate/api/v1/webhooks/${id}/sync`, '/api/user/tools']) {
        const sent = (coding: string, body: Buffer) =>
          ask(path, { 'content-type': json, 'content-encoding': coding }, body)
        expect((await sent('zstd', Buffer.from(text))).status).toBe(415)
        expect((await sent(`${'gzip,'.repeat(4)}gzip`, gzipSync(text))).status).toBe(415)
        expect((await sent('gzip', Buffer.from(text))).status).toBe(400)
        expect((await sent('gzip', gzipSync(text).subarray(0, 20))).status).toBe(400)
        expect((await sent('gzip', gzipSync(Buffer.alloc(30 * 1024 * 1024)))).status).toBe(413)
      }
      expect(await echoed({ 'content-type': json }, Buffer.from(`\ufeff${text}`))).toBe(text)
      expect(await echoed({ 'content-type': `${json}; charset=latin1` }, Buffer.from(text, 'latin1'))).toBe(text)
      expect(await echoed({ 'content-type': `${json}; charset="utf-16"` }, Buffer.from(text, 'utf16le'))).toBe(text)
      expect(await echoed({ 'content-type': json }, Buffer.from(`\ufeff${text}`, 'utf16le'))).toBe(text)
      expect(await echoed({ 'content-type': 'text/plain; charset=shift_jis' }, Buffer.from([0x83, 0x65]))).toBe('"テ"')
      expect(await echoed({ 'content-type': 'text/plain; charset=nothing' }, Buffer.from('é'))).toBe('"é"')
      const windows = Buffer.from([0x80, 0x93, 0xe9, 0x94])
      expect(await echoed({ 'content-type': 'text/plain; charset=windows-1252' }, windows)).toBe('"€“é”"')
      const form = 'application/x-www-form-urlencoded; charset=ISO-8859-1'
      expect(await echoed({ 'content-type': form }, Buffer.from('name=Zo%EB+K&x=%26&x=1&y'))).toBe(
        '{"name":"Zoë K","x":["&","1"],"y":""}',
      )
      const multipart = { 'content-type': 'multipart/form-data; boundary=X' }
      const field = (name: string, end: string) =>
        `--X${end}Content-Disposition: form-data; name="${name}"${end}${end}1${end}`
      for (const end of ['\n', '\r\n'])
        for (const last of [`--X--${end}`, ''])
          expect(await echoed(multipart, Buffer.from(field('a', end) + field('b', end) + last))).toBe(
            '{"a":"1","b":"1"}',
          )
      const key = { authorization: `Bearer ${by.key}` }
      expect(
        await ask('/api/user/tools', { ...key, 'content-type': `${json}; charset=nothing` }, Buffer.from('{}')),
      ).toEqual({
        status: 415,
        text: '{"message":"Unsupported charset nothing. Use utf-8."}',
      })
      const tool = (name: string): string =>
        `{"name":"cafe","description":"${name}","endpoint":"https://h.example","method":"GET"}`
      const made = await ask(
        '/api/user/tools',
        { ...key, 'content-type': `${json}; charset=iso-8859-1` },
        Buffer.from(tool('Café'), 'latin1'),
      )
      expect(made.text).toContain('Café')
    } finally {
      await server.close()
    }
  })

  test('report their size limit, and accept bytes over a socket', async () => {
    const server = await listen({ handle: platform.api().platform.handle, host: '127.0.0.1', port: 0, log: () => {} })
    try {
      const ask = async (path: string, size: number) => {
        const answer = await fetch(`${server.url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: 'x'.repeat(size),
        })
        return [answer.status, ((await answer.json()) as { message: string }).message]
      }
      expect(await ask(`/automate/api/v1/webhooks/${id}`, 5 * 1024 * 1024 + 1)).toEqual([
        413,
        'The request body is larger than 5 MB.',
      ])
      expect(await ask('/api/user/tools', 2 * 1024 * 1024 + 1)).toEqual([413, 'The request body is larger than 2 MB.'])
      const bytes = Buffer.from([0, 255, 1, 254])
      const form = new FormData()
      form.set('photo', new Blob([bytes], { type: 'image/png' }), 'p.png')
      const { body } = (await (
        await fetch(`${server.url}/automate/api/v1/webhooks/${id}/sync`, { method: 'POST', body: form })
      ).json()) as {
        body: { photo: string }
      }
      expect(Buffer.from(await (await fetch(body.photo)).arrayBuffer()).equals(bytes)).toBe(true)
      expect((await fetch(body.photo, { method: 'HEAD' })).headers.get('content-length')).toBe('4')
    } finally {
      await server.close()
    }
  })
})
