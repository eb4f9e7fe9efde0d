import { beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import type { Api, Asked } from '../../../support/platform/platform-api.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const tool = { name: 'look_up', description: 'Returns a value.', endpoint: 'https://example.com/x', method: 'GET' }

describe.each(databases)('a request on $name', (database) => {
  let api: Api
  beforeAll(async () => {
    api = await fresh(database)
  })
  const create = (body: unknown, asked: Asked = {}) => api.ask('POST', '/api/user/tools', { body, ...asked })
  const created = async (fields: object = {}) => (await create({ ...tool, ...fields })).body.data
  const refusal = async (fields: object) => {
    const { status, body } = await create({ ...tool, ...fields })
    return { status, ...body }
  }

  describe('without a matching endpoint', () => {
    test('has a path that does not exist: 404 for every caller', async () => {
      const paths = [
        '/',
        '/api',
        '/api/user',
        '/api/user/nothing',
        '/API/user/tools',
        '/api/user/tools/1/more',
        '//api/user/tools',
        '/api/user/tools/%zz',
        `/api/${'x'.repeat(9000)}`,
      ]
      for (const path of paths)
        for (const key of [null, api.platform.credentials().key])
          expect(await api.ask('GET', path, { key }), path).toMatchObject({
            status: 404,
            text: '{"message":"Not Found"}',
          })
    })

    test('has a method the path does not take: 405', async () => {
      const wrong = [
        ['DELETE', '/api/user/tools'],
        ['PATCH', '/api/user/tools/1'],
        ['POST', '/api/user/tools/1'],
        ['PUT', '/api/user/api-keys'],
        ['TRACE', '/api/user/me'],
        ['GET', '/control/reset'],
      ]
      for (const [method = '', path = ''] of wrong)
        expect(await api.ask(method, path), `${method} ${path}`).toMatchObject({
          status: 405,
          text: '{"message":"Method Not Allowed"}',
        })
    })

    test.each([
      '0',
      '-1',
      'abc',
      '1.5',
      '1e3',
      '0x1',
      '%20',
      '1%2F2',
      '9007199254740993',
      '99999999999999999999',
      "1'--",
      '%00',
      'null',
      '١',
    ])('with the id %s: not found', async (id) => {
      expect(await api.ask('GET', `/api/user/tools/${id}`)).toMatchObject({
        status: 404,
        text: '{"message":"Tool not found"}',
      })
      expect(await api.ask('PUT', `/api/user/tools/${id}`, { body: { timeout: 3 } })).toMatchObject({ status: 404 })
      expect(await api.ask('DELETE', `/api/user/api-keys/${id}`)).toMatchObject({
        status: 404,
        text: '{"message":"API key not found."}',
      })
      expect(await api.ask('DELETE', `/api/user/phone-numbers/${id}`)).toMatchObject({
        status: 404,
        text: '{"error":"Phone number not found."}',
      })
    })

    test('asks for the largest id there could be: not found', async () => {
      expect(await api.ask('GET', `/api/user/tools/${Number.MAX_SAFE_INTEGER}`)).toMatchObject({ status: 404 })
    })
  })

  describe('with an unreadable body', () => {
    test('is not JSON: 400', async () => {
      for (const raw of ['{', '{"name":}', 'name=x', '{"a":1}}', ' ', "{'a':1}", '\u0000', '{"a":NaN}'])
        expect(await create(undefined, { raw }), raw).toMatchObject({
          status: 400,
          text: '{"message":"The request body is not valid JSON."}',
        })
    })

    test('has no JSON content type: 415', async () => {
      const types: Record<string, string>[] = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/jsonp',
        '',
      ].map((it) => ({ 'content-type': it }))
      for (const headers of types)
        expect(await create(tool, { headers }), headers['content-type']).toMatchObject({
          status: 415,
          text: '{"message":"Send the body as application/json."}',
        })
      for (const type of [
        'application/json',
        'application/json; charset=utf-8',
        'Application/JSON',
        'application/vnd.api+json',
      ])
        expect((await create(tool, { headers: { 'content-type': type } })).status).toBe(201)
    })

    test('is larger than 2 MB, in bytes and not in characters: 413', async () => {
      const tooLarge = { status: 413, text: '{"message":"The request body is larger than 2 MB."}' }
      const sized = (length: number, letter: string) => ({ raw: JSON.stringify({ name: letter.repeat(length) }) })
      expect(await create(undefined, sized(2 * 1024 * 1024, 'x'))).toMatchObject(tooLarge)
      expect(await create(undefined, sized(1024 * 1024, 'é'))).toMatchObject(tooLarge)
      expect(await create(undefined, sized(2 * 1024 * 1024 - 100, 'x'))).toMatchObject({ status: 422 })
    })

    test.each(['[]', '[{"name":"x"}]', '"text"', '3', 'true'])('is %s instead of an object: 422', async (raw) => {
      expect(await create(undefined, { raw })).toMatchObject({
        status: 422,
        body: {
          message: 'The request body must be a JSON object.',
          errors: { body: ['The request body must be a JSON object.'] },
        },
      })
    })

    test('is nested too deeply: 422, and the platform continues', async () => {
      const deep = (levels: number) => `{"name":${'['.repeat(levels)}${']'.repeat(levels)}}`
      for (const levels of [1000, 100_000]) expect((await create(undefined, { raw: deep(levels) })).status).toBe(422)
      expect((await api.ask('GET', '/api/user/me')).status).toBe(200)
    })

    test('reveals no rule of an endpoint to callers without access', async () => {
      expect(await create({}, { key: null })).toMatchObject({ status: 401 })
      expect(await create(undefined, { key: null, raw: '{' })).toMatchObject({ status: 401 })
    })
  })

  describe('with invalid fields', () => {
    test('lacks a required field: the message is that of the first error', async () => {
      expect(await create({})).toMatchObject({
        status: 422,
        body: {
          message: 'The name field is required.',
          errors: {
            name: ['The name field is required.'],
            description: ['The description field is required.'],
            endpoint: ['The endpoint field is required.'],
            method: ['The method field is required.'],
          },
        },
      })
      expect((await api.ask('POST', '/api/user/tools')).body.message).toBe('The name field is required.')
      expect((await api.ask('POST', '/api/user/api-keys', { body: { name: '' } })).text).toBe(
        '{"message":"The name field is required.","errors":{"name":["The name field is required."]}}',
      )
      expect(await api.ask('POST', '/api/user/phone-numbers/purchase', { body: {} })).toMatchObject({
        status: 422,
        body: {
          message: 'The given data was invalid.',
          errors: { phone_number: ['The phone number field is required.'] },
        },
      })
    })

    const wrongTypes: [field: string, value: unknown, text: string][] = [
      ['name', 5, 'The name field must be a string.'],
      ['name', ['x'], 'The name field must be a string.'],
      ['name', { x: 1 }, 'The name field must be a string.'],
      ['name', true, 'The name field must be a string.'],
      ['name', null, 'The name field is required.'],
      [
        'name',
        '1st',
        'The name must start with a letter or underscore, contain only letters, digits and underscores, and not be longer than 64 characters.',
      ],
      [
        'name',
        'a-b',
        'The name must start with a letter or underscore, contain only letters, digits and underscores, and not be longer than 64 characters.',
      ],
      [
        'name',
        'a'.repeat(65),
        'The name must start with a letter or underscore, contain only letters, digits and underscores, and not be longer than 64 characters.',
      ],
      [
        'name',
        'naïve',
        'The name must start with a letter or underscore, contain only letters, digits and underscores, and not be longer than 64 characters.',
      ],
      [
        'name',
        'line\n',
        'The name must start with a letter or underscore, contain only letters, digits and underscores, and not be longer than 64 characters.',
      ],
      ['description', 5, 'The description field must be a string.'],
      ['description', 'x'.repeat(256), 'The description field must not be greater than 255 characters.'],
      ['endpoint', {}, 'The endpoint field must be a string.'],
      ['endpoint', 'example.com', 'The endpoint field must be a valid URL.'],
      ['endpoint', 'javascript:alert(1)', 'The endpoint field must be a valid URL.'],
      [
        'endpoint',
        `https://example.com/${'x'.repeat(2048)}`,
        'The endpoint field must not be greater than 2048 characters.',
      ],
      ['method', 'HEAD', 'The selected method is invalid.'],
      ['method', 'get', 'The selected method is invalid.'],
      ['method', 1, 'The selected method is invalid.'],
      ['body_format', 'xml', 'The selected body format is invalid.'],
      ['timeout', '10', 'The timeout field must be an integer.'],
      ['timeout', 1.5, 'The timeout field must be an integer.'],
      ['timeout', true, 'The timeout field must be an integer.'],
      ['timeout', [], 'The timeout field must be an integer.'],
      ['timeout', 0, 'The timeout field must be between 1 and 30.'],
      ['timeout', 31, 'The timeout field must be between 1 and 30.'],
      ['timeout', 1e300, 'The timeout field must be an integer.'],
      ['headers', {}, 'The headers field must be an array.'],
      ['headers', 'x', 'The headers field must be an array.'],
      ['static_fields', 3, 'The static fields field must be an array.'],
      ['schema', null, 'The schema field must be an array.'],
    ]
    test.each(wrongTypes)('has %s = %j', async (field, value, text) => {
      const answer = await refusal({ [field]: value })
      expect(answer.status).toBe(422)
      expect(answer.errors[field]).toContain(text)
      expect(answer.message).toBe(answer.errors[field][0])
      expect(Object.keys(answer.errors)).toEqual([field])
    })

    const nested: [fields: object, path: string, text: string][] = [
      [{ headers: ['x'] }, 'headers.0', 'The headers.0 field must be an object.'],
      [{ headers: [{ name: 'A' }] }, 'headers.0.value', 'The headers.0.value field is required.'],
      [
        { headers: [{ name: 'A', value: 'x'.repeat(2049) }] },
        'headers.0.value',
        'The headers.0.value field must not be greater than 2048 characters.',
      ],
      [
        { headers: [{ name: 'A', value: 'x', extra: 1 }] },
        'headers.0.extra',
        'The headers.0.extra field is not recognized.',
      ],
      [
        { static_fields: [{ key: 'x'.repeat(65) }] },
        'static_fields.0.key',
        'The static fields.0.key field must not be greater than 64 characters.',
      ],
      [
        {
          schema: [
            { name: 'a', type: 'string', description: 'abc' },
            { name: 'b', type: 'date', description: 'abc' },
          ],
        },
        'schema.1.type',
        'The selected schema.1.type is invalid.',
      ],
      [
        { schema: [{ name: 'a', type: 'float', description: 'ab' }] },
        'schema.0.description',
        'The schema.0.description field must be at least 3 characters.',
      ],
      [
        { schema: [{ name: 'a', type: 'float', description: 'abc', required: 'yes' }] },
        'schema.0.required',
        'The schema.0.required field must be true or false.',
      ],
    ]
    test.each(nested)('has %j', async (fields, path, text) => {
      expect(await refusal(fields)).toMatchObject({ status: 422, errors: { [path]: [text] } })
    })

    test('has an unknown field: refused by name, inherited names too', async () => {
      expect(await refusal({ colour: 'red' })).toMatchObject({
        status: 422,
        errors: { colour: ['The colour field is not recognized.'] },
      })
      for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString', ''])
        expect(
          await create(undefined, { raw: JSON.stringify(tool).replace('{', `{${JSON.stringify(name)}:1,`) }),
          name,
        ).toMatchObject({ status: 422 })
      expect(await api.ask('POST', '/api/user/api-keys', { body: { name: 'x', token: '1|x' } })).toMatchObject({
        status: 422,
        body: { errors: { token: expect.anything() } },
      })
    })

    test('counts visible characters', async () => {
      expect((await create({ ...tool, description: '😀'.repeat(255) })).body.data.description).toBe('😀'.repeat(255))
      expect((await refusal({ description: '😀'.repeat(256) })).errors).toEqual({
        description: ['The description field must not be greater than 255 characters.'],
      })
      const number = (await api.ask('GET', '/api/user/phone-numbers/all')).body.data[0]
      const rename = (nickname: string) =>
        api.ask('PUT', `/api/user/phone-numbers/${number.id}`, { body: { nickname } })
      expect((await rename('é'.repeat(50))).body.data.nickname).toBe('é'.repeat(50))
      expect(await rename('é'.repeat(51))).toMatchObject({
        status: 422,
        body: { errors: { nickname: ['The nickname field must not be greater than 50 characters.'] } },
      })
    })

    test('preserves every character of a text, or refuses one it cannot store', async () => {
      const text = 'a\'b"c\\d`e\t\r\n%_$1{{x}}\u202e\u{1f9d1}\u200d\u{1f4bb} \u0301'
      expect((await created({ description: text })).description).toBe(text)
      expect((await api.ask('POST', '/api/user/api-keys', { body: { name: text } })).body.api_key.name).toBe(text)
      for (const name of ['cut\u0000here', '\u0000', 'half \ud83d of one']) {
        expect(await api.ask('POST', '/api/user/api-keys', { body: { name } })).toMatchObject({
          status: 422,
          body: { errors: { name: [expect.any(String)] } },
        })
        expect(await refusal({ description: name })).toMatchObject({ status: 422 })
      }
    })
  })

  describe('that updates a tool', () => {
    test('contains the whole record: read-only fields are ignored', async () => {
      const before = await created()
      const { body } = await api.ask('PUT', `/api/user/tools/${before.id}`, {
        body: { ...before, id: 999, type: 'automation', created_at: 'never', timeout: 7 },
      })
      expect(body).toEqual({
        message: 'Tool updated successfully',
        data: { ...before, timeout: 7, updated_at: expect.any(String) },
      })
      expect((await api.ask('GET', `/api/user/tools/${before.id}`)).body).toEqual(body.data)
    })

    test('changes only its fields; lists are replaced and not merged', async () => {
      const before = await created({
        headers: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
        static_fields: [{ key: 'k', value: 'v' }],
        schema: [{ name: 'p', type: 'number', description: 'A number' }],
      })
      expect(before).toMatchObject({ body_format: 'json', timeout: 10, type: 'http', schema: [{ required: false }] })
      const path = `/api/user/tools/${before.id}`
      const change = async (body: object) => (await api.ask('PUT', path, { body })).body.data
      expect(await change({})).toEqual({ ...before, updated_at: expect.any(String) })
      expect(await change({ headers: [{ name: 'C', value: '3' }] })).toEqual({
        ...before,
        headers: [{ name: 'C', value: '3' }],
        updated_at: expect.any(String),
      })
      expect(await change({ headers: [], static_fields: [], schema: [] })).toMatchObject({
        headers: [],
        static_fields: [],
        schema: [],
        name: 'look_up',
      })
    })

    test('is refused with the words of the specification, and nothing changes', async () => {
      const before = await created()
      const path = `/api/user/tools/${before.id}`
      const { status, body } = await api.ask('PUT', path, { body: { name: '9x', timeout: 31, description: 'New' } })
      expect(status).toBe(422)
      expect(body.message).toBe('Validation failed')
      expect(body.errors.name[0]).toMatch(/letter or underscore.*64 characters/)
      expect(body.errors.timeout).toEqual(['The timeout field must be between 1 and 30.'])
      expect((await api.ask('GET', path)).body).toEqual(before)
    })

    test('keeps the URL, method and body format of an automation', async () => {
      const automation = (await api.ask('GET', '/api/user/tools')).body.find(
        (it: { type: string }) => it.type === 'automation',
      )
      const body = { endpoint: 'https://other.example/', method: 'DELETE', body_format: 'form', timeout: 3 }
      const { data } = (await api.ask('PUT', `/api/user/tools/${automation.id}`, { body })).body
      expect(data).toEqual({ ...automation, timeout: 3, updated_at: expect.any(String) })
    })

    test('deletes it permanently', async () => {
      const { id } = await created()
      expect(await api.ask('DELETE', `/api/user/tools/${id}`)).toMatchObject({
        status: 200,
        text: '{"message":"Tool deleted successfully"}',
      })
      for (const method of ['GET', 'DELETE']) expect((await api.ask(method, `/api/user/tools/${id}`)).status).toBe(404)
    })
  })

  describe('that searches for numbers', () => {
    const search = (query: string) => api.ask('GET', `/api/user/phone-numbers/search${query}`)

    test('returns numbers of the United States by default', async () => {
      const { body } = await search('')
      expect(body.data.length).toBeGreaterThan(0)
      expect(body).toEqual((await search('?country_code=US')).body)
      expect(body.data.every((it: { country_code: string }) => it.country_code === 'US')).toBe(true)
    })

    test('returns numbers with its digits, or an empty list', async () => {
      const { data } = (await search('?country_code=GB&contains=20')).body
      expect(data.length).toBeGreaterThan(0)
      expect(
        data.every(
          (number: { phone_number: string; country_code: string }) =>
            number.phone_number.includes('20') && number.country_code === 'GB',
        ),
      ).toBe(true)
      expect((await search('?contains=0000000000')).text).toBe('{"data":[]}')
    })

    test.each([
      '?country_code=DE',
      '?country_code=us',
      '?contains=abc',
      '?contains=12345678901',
      '?contains=%2B1',
      '?contains=1%002',
    ])('is refused: %s', async (query) => {
      expect(await search(query)).toMatchObject({ status: 422, body: { message: 'The given data was invalid.' } })
    })

    test('ignores unknown and empty parameters', async () => {
      expect((await search('?utm_source=x&country_code=&contains=')).text).toBe((await search('')).text)
    })
  })
})
