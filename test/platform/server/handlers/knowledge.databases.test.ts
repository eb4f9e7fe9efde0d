import { beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import type { Api } from '../../../support/platform/platform-api.ts'
import { fresh, newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'

const base = '/api/user/knowledgebases'
const baseMissing = { status: 404, text: '{"error":"Knowledgebase not found."}' }
const documentMissing = { status: 404, text: '{"error":"Document not found."}' }
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
const site = { name: 'Site', type: 'website', url: 'https://northwind.example' }

describe.each(databases)('knowledge on $name', (database) => {
  let api: Api
  beforeAll(async () => {
    api = await fresh(database)
    // Periodic jobs of the platform must not become due while the tests count the jobs that run.
    await api.control('POST', '/control/clock/freeze', {})
  })

  /** An account of its own with one empty knowledge base. */
  async function owner() {
    const { key, id: account } = await api.account()
    const { id } = (await api.ask('POST', base, { key, body: { name: 'Handbook' } })).body.data
    const path = `${base}/${id}`
    const ask = (method: string, url: string, body?: object) => api.ask(method, url, { key, ...(body && { body }) })
    return {
      key,
      account,
      id,
      path,
      ask,
      add: (body: object) => ask('POST', `${path}/documents`, body),
      status: async () => {
        const { status, status_label, documents_count } = (await ask('GET', path)).body.data
        return { status, status_label, documents_count }
      },
      documents: async () =>
        (await ask('GET', `${path}/documents`)).body.data.map(
          (it: { name: string; status: string }) => `${it.name} ${it.status}`,
        ),
    }
  }
  const drain = () => api.control('POST', '/control/drain', {})

  test('exists in the sample data, with readable documents and an unreadable one', async () => {
    const { status, body } = await api.ask('GET', base)
    expect({ status, data: body.data }).toMatchObject({
      status: 200,
      data: [
        {
          name: 'Practice handbook',
          status: 'active',
          status_label: 'Active',
          documents_count: 3,
          assistants_count: expect.any(Number),
        },
      ],
    })
    const { data } = (await api.ask('GET', `${base}/${body.data[0].id}/documents`)).body
    expect(data.map((it: { status: string }) => it.status)).toEqual(['active', 'active', 'failed'])
  })

  test('is searched for passages, best first, and only by its own account', async () => {
    const search = (id: number, query: string, key?: string) =>
      api.ask('GET', `${base}/${id}/search?query=${encodeURIComponent(query)}`, key ? { key } : {})
    const { data } = (await search(1, 'How long does a cleaning take?')).body
    expect(data[0]).toEqual({
      document_id: expect.any(Number),
      document: 'Treatments and prices',
      score: expect.any(Number),
      text: expect.stringContaining('A cleaning takes 45 minutes'),
      url: 'https://northwind.example/treatments',
    })
    const scores = data.map((it: { score: number }) => it.score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect((await search(1, 'xylophone')).body).toEqual({ data: [] })
    const other = await owner()
    expect((await search(other.id, 'cleaning', other.key)).body).toEqual({ data: [] })
    expect(await search(1, 'cleaning', other.key)).toMatchObject({ status: 404 })
    expect(await search(1, '')).toMatchObject({ status: 422 })
  })

  test('is created empty, changed in parts and deleted', async () => {
    const user = await owner()
    expect(await user.ask('POST', base, { name: 'Prices', description: 'What things cost' })).toMatchObject({
      status: 201,
      body: {
        message: 'Knowledgebase created successfully.',
        data: {
          name: 'Prices',
          description: 'What things cost',
          status: 'empty',
          status_label: 'Empty',
          documents_count: 0,
          assistants_count: 0,
          created_at: moment,
          updated_at: moment,
        },
      },
    })
    const { data } = (await user.ask('GET', user.path)).body
    expect(data).toMatchObject({ id: user.id, name: 'Handbook', description: null })
    expect(await user.ask('PUT', user.path, { description: 'For patients' })).toMatchObject({
      status: 200,
      body: {
        message: 'Knowledgebase updated successfully.',
        data: { ...data, description: 'For patients', updated_at: moment },
      },
    })
    expect((await user.ask('PUT', user.path, { description: null, name: 'New' })).body.data).toMatchObject({
      name: 'New',
      description: null,
    })
    expect((await user.ask('GET', base)).body.data.map((one: { name: string }) => one.name)).toEqual(['New', 'Prices'])
    expect(await user.ask('DELETE', user.path)).toMatchObject({
      status: 200,
      body: { message: 'Knowledgebase deleted successfully.' },
    })
    for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const)
      expect(await user.ask(method, user.path, body), method).toMatchObject(baseMissing)
    expect(await user.add(site)).toMatchObject(baseMissing)
  })

  test.each([
    [{}, { name: ['The name field is required.'] }],
    [{ name: 'x'.repeat(256) }, { name: ['The name field must not be greater than 255 characters.'] }],
    [
      { name: 'x', description: 'x'.repeat(256) },
      { description: ['The description field must not be greater than 255 characters.'] },
    ],
  ])('is not created from %j', async (body, errors) => {
    expect(await api.ask('POST', base, { body })).toMatchObject({
      status: 422,
      body: { message: 'The given data was invalid.', errors },
    })
  })

  test('reads a website after the response: processing, then active', async () => {
    const user = await owner()
    const made = await user.add({ ...site, description: 'All of it' })
    expect(made).toMatchObject({
      status: 201,
      body: {
        message: 'Document created successfully.',
        data: {
          id: expect.any(Number),
          name: 'Site',
          description: 'All of it',
          type: 'website',
          status: 'processing',
          status_label: 'Processing',
          created_at: moment,
        },
      },
    })
    expect(await user.status()).toEqual({ status: 'processing', status_label: 'Processing', documents_count: 1 })
    await drain()
    expect(await user.status()).toEqual({ status: 'active', status_label: 'Active', documents_count: 1 })
    expect((await user.ask('GET', `${user.path}/documents/${made.body.data.id}`)).body.data).toEqual({
      ...made.body.data,
      status: 'active',
      status_label: 'Active',
      updated_at: moment,
    })
  })

  test('fails permanently for an unreadable website, and is usable as soon as one document is', async () => {
    const user = await owner()
    await user.add({ ...site, name: 'Gone', url: 'https://unreadable.example/page' })
    await user.add({
      name: 'Pages',
      type: 'website',
      links: [{ link: 'https://northwind.example/a' }, { link: 'https://unreadable.example/b' }],
    })
    await drain()
    expect(await user.documents()).toEqual(['Gone failed', 'Pages failed'])
    expect(await user.status()).toMatchObject({ status: 'failed', documents_count: 2 })
    await user.add({ ...site, url: 'https://unreadable.example.northwind.example' })
    await drain()
    expect(await user.documents()).toEqual(['Gone failed', 'Pages failed', 'Site active'])
    expect(await user.status()).toMatchObject({ status: 'active', documents_count: 3 })
    expect((await api.control('GET', '/control/status')).body.due).toBe(4)
  })

  test('adds a document once, whatever process is interrupted', async () => {
    const place = await newPlace(database)
    let broken = true
    const gate = async (step: string) => {
      if (step === 'reader.read:after' && broken) throw new Error('cut off')
    }
    const other = await openAt(place, { gate })
    const { id } = (await other.ask('POST', base, { body: { name: 'x' } })).body.data
    await other.ask('POST', `${base}/${id}/documents`, { body: site })
    const status = async () => (await other.ask('GET', `${base}/${id}`)).body.data.status
    await other.control('POST', '/control/drain', {})
    expect(await status()).toBe('processing')
    broken = false
    await other.control('POST', '/control/clock/advance', { by: '1m' })
    expect(await status()).toBe('active')
  })

  test.each([
    [{ ...site, url: undefined }, { url: ['The url field is required when links is not present.'] }],
    [{ ...site, url: 'northwind.example' }, { url: ['The url field must be a valid URL.'] }],
    [{ ...site, links: [] }, { links: ['The links field must have at least 1 items.'] }],
    [{ ...site, links: [{ link: 'x' }] }, { 'links.0.link': ['The links.0.link field must be a valid URL.'] }],
    [
      { ...site, relative_links_limit: 51 },
      { relative_links_limit: ['The relative links limit field must be between 1 and 50.'] },
    ],
    [{ ...site, type: 'epub' }, { type: ['The selected type is invalid.'] }],
    [
      { name: 'x', type: 'pdf' },
      {
        file: [
          'The file field is required when type is pdf. Files are sent as multipart/form-data; as JSON only websites can be added.',
        ],
      },
    ],
  ])('refuses the document %j', async (body, errors) => {
    const user = await owner()
    expect(await user.add(body)).toMatchObject({ status: 422, body: { errors } })
    expect(await user.status()).toMatchObject({ status: 'empty', documents_count: 0 })
  })

  test('refuses a form that is not valid', async () => {
    const user = await owner()
    const form = {
      key: user.key,
      raw: '--x\r\n\r\n--x--',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    }
    expect(await api.ask('POST', `${user.path}/documents`, form)).toMatchObject({
      status: 400,
      body: { message: 'The request body is not valid multipart/form-data.' },
    })
  })

  test('renames, describes and deletes documents, also one that is still being read', async () => {
    const user = await owner()
    const { id } = (await user.add(site)).body.data
    const path = `${user.path}/documents/${id}`
    expect(await user.ask('PUT', path, { name: 'Renamed', description: 'd' })).toMatchObject({
      status: 200,
      body: {
        message: 'Document updated successfully.',
        data: { id, name: 'Renamed', description: 'd', status: 'processing' },
      },
    })
    expect((await user.ask('PUT', path, { description: null })).body.data).toMatchObject({
      name: 'Renamed',
      description: null,
    })
    expect(await user.ask('PUT', path, { url: 'https://x.example' })).toMatchObject({ status: 422 })
    expect(await user.ask('DELETE', path)).toMatchObject({
      status: 200,
      body: { message: 'Document deleted successfully.' },
    })
    expect((await drain()).body.message).toBe('Jobs run: 0.')
    for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const)
      expect(await user.ask(method, path, body), method).toMatchObject(documentMissing)
    expect(await user.status()).toMatchObject({ status: 'empty' })
  })

  test('is deleted with its documents and their jobs, and its assistants stay', async () => {
    const place = await newPlace(database)
    const other = await openAt(place)
    const { id } = (await other.ask('POST', base, { body: { name: 'x' } })).body.data
    for (const name of ['a', 'b']) await other.ask('POST', `${base}/${id}/documents`, { body: { ...site, name } })
    const { write, read } = await tablesOf(place)
    const assistant = {
      account_id: 1,
      uuid: 'u-1',
      name: 'Asks',
      type: 'inbound',
      mode: 'pipeline',
      status: 'inactive',
      settings: '{}',
      created_at: 1,
      updated_at: 1,
    } as const
    await write('rows', (query) =>
      query
        .insertInto('assistant')
        .values({ ...assistant, knowledgebase_id: id })
        .execute(),
    )
    expect((await other.ask('GET', `${base}/${id}`)).body.data.assistants_count).toBe(1)
    expect((await other.ask('DELETE', `${base}/${id}`)).status).toBe(200)
    expect(await read.selectFrom('assistant').select('knowledgebase_id').where('uuid', '=', 'u-1').execute()).toEqual([
      { knowledgebase_id: null },
    ])
    expect(await read.selectFrom('due').selectAll().where('kind', '=', 'document').execute()).toEqual([])
    expect(
      await read.selectFrom('knowledge_document').selectAll().where('knowledge_base_id', '=', id).execute(),
    ).toEqual([])
  })

  test('of another account is not found, and a document is found only in its own knowledge base', async () => {
    const [mine, theirs] = [await owner(), await owner()]
    const { id } = (await mine.add(site)).body.data
    const inOther = (await mine.ask('POST', base, { name: 'Second' })).body.data.id
    for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const) {
      expect(await theirs.ask(method, mine.path, body), method).toMatchObject(baseMissing)
      expect(await theirs.ask(method, `${mine.path}/documents/${id}`, body), method).toMatchObject(baseMissing)
      expect(await theirs.ask(method, `${theirs.path}/documents/${id}`, body), method).toMatchObject(documentMissing)
      expect(await mine.ask(method, `${base}/${inOther}/documents/${id}`, body), method).toMatchObject(documentMissing)
    }
    for (const [method, body] of [['GET'], ['POST', site]] as const)
      expect(await theirs.ask(method, `${mine.path}/documents`, body), method).toMatchObject(baseMissing)
    expect((await theirs.ask('GET', base)).body.data.map((it: { id: number }) => it.id)).toEqual([theirs.id])
    expect(await mine.documents()).toEqual(['Site processing'])
  })
})
