import { beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { desk } from '../../../support/platform/assistant-drafts.ts'
import type { TestAccount } from '../../../support/platform/platform-api.ts'
import { fresh, tablesOf } from '../../../support/platform/test-platforms.ts'

const list = '/api/user/leads'
const day = 86_400_000

describe.each(databases)('leads on $name', (database) => {
  let api: Awaited<ReturnType<typeof fresh>>
  let owner: TestAccount
  let calls: number
  let texts: number
  let wall = Date.parse('2026-08-04T12:00:00Z')

  const campaignOf = async (by: TestAccount, name: string): Promise<number> => {
    const assistant = (await api.ask('POST', '/api/user/assistant', { ...by, body: { ...desk, type: 'outbound' } }))
      .body.data.id
    return (await api.ask('POST', '/api/user/campaign', { ...by, body: { name, assistant_id: assistant } })).body.data
      .id
  }
  beforeAll(async () => {
    api = await fresh(database, { seed: 7, wall: () => wall })
    owner = await api.account()
    calls = await campaignOf(owner, 'Calls')
    const number = (await api.buy('+15005550006', owner)).body.data.id
    const body = { name: 'Texts', channel: 'sms', sms_from_phone_number_id: number, sms_body: 'Hello {{first_name}}' }
    texts = (await api.ask('POST', '/api/user/campaign', { ...owner, body })).body.data.id
  })

  const create = (body: object, by = owner) => api.ask('POST', '/api/user/lead', { ...by, body })
  const search = async (query = '', by = owner) => (await api.ask('GET', `${list}${query}`, by)).body
  const numbersOf = (page: { data: { phone_number: string }[] }): string[] => page.data.map((it) => it.phone_number)
  const get = async (id: number, by = owner) =>
    (await search('?per_page=100', by)).data.find((it: { id: number }) => it.id === id)

  test('are created with variables and secondary contacts', async () => {
    const { status, body } = await create({
      campaign_id: calls,
      phone_number: '+14155550101',
      variables: { first_name: 'Anna', visits: 3 },
      secondary_contacts: [
        { phone_number: '+14155550102', variables: { first_name: 'Ben' } },
        { phone_number: '+14155550103' },
      ],
    })
    const times = { status: 'created', created_at: '2026-08-04 12:00:00', updated_at: '2026-08-04 12:00:00' }
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        message: 'Lead created successfully',
        data: {
          id: expect.any(Number),
          campaign_id: calls,
          phone_number: '+14155550101',
          variables: { first_name: 'Anna', visits: 3 },
          ...times,
          campaign: { id: calls, name: 'Calls' },
          secondary_contacts: [
            { id: expect.any(Number), phone_number: '+14155550102', variables: { first_name: 'Ben' }, ...times },
            { id: expect.any(Number), phone_number: '+14155550103', variables: {}, ...times },
          ],
        },
      },
    })
    expect(await get(body.data.id)).toEqual({
      ...body.data,
      campaign: { id: calls, name: 'Calls', channel: 'call' },
      fallback_sent_at: null,
    })
  })

  test('exist once in a campaign, unless a duplicate is allowed', async () => {
    const body = { campaign_id: calls, phone_number: '+14155550110' }
    expect((await create(body)).status).toBe(200)
    expect(await create(body)).toMatchObject({
      status: 422,
      body: { message: 'This lead already exists in the campaign.' },
    })
    expect((await create({ ...body, allow_dupplicate: true })).status).toBe(200)
    expect(await create({ ...body, allow_duplicate: true })).toMatchObject({ status: 422 })
    expect((await create({ ...body, campaign_id: texts })).status).toBe(200)
    const all = await Promise.all(Array.from({ length: 4 }, () => create({ ...body, phone_number: '+14155550111' })))
    expect(all.map((it) => it.status).sort()).toEqual([200, 422, 422, 422])
  })

  test('have secondary contacts in campaigns that call only', async () => {
    const text = 'Secondary contacts are for campaigns that call.'
    const body = {
      campaign_id: texts,
      phone_number: '+14155550112',
      secondary_contacts: [{ phone_number: '+14155550113' }],
    }
    expect(await create(body)).toMatchObject({
      status: 422,
      body: { message: text, errors: { secondary_contacts: [text] } },
    })
    const { id } = (await create({ ...body, campaign_id: calls })).body.data
    expect(await api.ask('PUT', `${list}/${id}`, { ...owner, body: { campaign_id: texts } })).toMatchObject({
      status: 422,
      body: { errors: { campaign_id: [text] } },
    })
    expect((await create({ ...body, secondary_contacts: [] })).status).toBe(200)
  })

  test('need a number in E.164 and a campaign of the same account', async () => {
    const phone_number = '+14155550114'
    for (const wrong of ['4155550114', 'Anna', '+0123456789', ''])
      expect((await create({ campaign_id: calls, phone_number: wrong })).status, wrong).toBe(422)
    expect(await create({ campaign_id: calls, phone_number: '4155550114' })).toMatchObject({
      body: { message: 'Invalid phone number' },
    })
    expect(
      await create({
        campaign_id: calls,
        phone_number,
        secondary_contacts: [{ phone_number: '+14155550115' }, { phone_number: '1' }],
      }),
    ).toMatchObject({
      status: 422,
      body: { errors: { 'secondary_contacts.1.phone_number': ['Invalid phone number'] } },
    })
    expect(await create({ campaign_id: calls, phone_number, secondary_contacts: [{ variables: {} }] })).toMatchObject({
      status: 422,
      body: {
        errors: { 'secondary_contacts.0.phone_number': ['The secondary contacts.0.phone number field is required.'] },
      },
    })
    expect(await create({ campaign_id: 1, phone_number })).toMatchObject({
      status: 404,
      body: { message: 'Campaign not found' },
    })
    expect((await search('?phone_number=%2B14155550114')).total).toBe(0)
  })

  test('are found by campaign, status, day and part of the number, newest first', async () => {
    const by = await api.account()
    const [first, second] = [await campaignOf(by, 'First'), await campaignOf(by, 'Second')]
    for (let n = 0; n < 24; n++) {
      await create({ campaign_id: n % 3 === 0 ? second : first, phone_number: `+1415555${String(2000 + n)}` }, by)
      if (n % 8 === 7) wall += day
    }
    wall -= 3 * day
    const { data } = await search('?per_page=100', by)
    for (const lead of data.slice(0, 5))
      await api.ask('PUT', `${list}/${lead.id}`, { ...by, body: { status: 'completed' } })
    const total = async (query: string): Promise<number> => (await search(query, by)).total
    expect(numbersOf({ data })).toEqual(Array.from({ length: 24 }, (_, n) => `+1415555${2023 - n}`))
    expect(await total('')).toBe(24)
    expect(await total(`?campaign_id=${second}`)).toBe(8)
    expect(await total('?status=completed')).toBe(5)
    expect(await total(`?status=completed&campaign_id=${second}`)).toBe(1)
    expect(await total('?status=blacklisted')).toBe(0)
    expect(await total('?date_from=2026-08-05')).toBe(16)
    expect(await total('?date_to=2026-08-04')).toBe(8)
    expect(await total('?date_from=2026-08-05&date_to=2026-08-05&status=created')).toBe(8)
    expect(await total('?date_from=2027-01-01')).toBe(0)
    expect(await total('?phone_number=555201')).toBe(10)
    expect(await total('?phone_number=%2B1415555201')).toBe(10)
    expect(await total('?phone_number=%2B5552')).toBe(0)
    expect(await total('?phone_number=555-201')).toBe(10)
    expect(await total('?phone_number=Anna')).toBe(0)
    expect(await total(`?phone_number=201&campaign_id=${second}&date_from=2026-08-05&status=created`)).toBe(3)
    expect(numbersOf(await search(`?campaign_id=${second}&page=2&per_page=3`, by))).toEqual([
      '+14155552012',
      '+14155552009',
      '+14155552006',
    ])
    expect(numbersOf(await search('?phone_number=201&page=2&per_page=4', by))).toEqual([
      '+14155552015',
      '+14155552014',
      '+14155552013',
      '+14155552012',
    ])
  })

  test('are found newest first also if very many match', async () => {
    const by = await api.account()
    const campaign = await campaignOf(by, 'Many')
    const { write } = await tablesOf(api.place)
    const common = {
      account_id: by.id,
      campaign_id: campaign,
      variables: '{}',
      status: 'created' as const,
      contacts: 0,
      attempts: 0,
    }
    const rows = Array.from({ length: 1200 }, (_, n) => ({
      ...common,
      phone_number: `+1415777${String(1000 + n)}`,
      created_at: Math.floor(n / 500) * day * 1000,
      updated_at: 0,
    }))
    for (let n = 0; n < rows.length; n += 300)
      await write('rows', (query) =>
        query
          .insertInto('lead')
          .values(rows.slice(n, n + 300))
          .execute(),
      )
    const page = await search('?phone_number=777&page=3&per_page=100', by)
    expect({ total: page.total, first: page.data[0].phone_number, last: page.data.at(-1).phone_number }).toEqual({
      total: 1200,
      first: '+14157771999',
      last: '+14157771900',
    })
    expect(await search('?phone_number=%2B1415777&status=created&date_to=1970-01-02&per_page=1', by)).toMatchObject({
      total: 1000,
      data: [{ phone_number: '+14157771999' }],
    })
  })

  test('are returned in the page envelope, whose URLs keep the filters', async () => {
    const by = await api.account()
    const campaign = await campaignOf(by, 'Paged')
    for (let n = 0; n < 7; n++) await create({ campaign_id: campaign, phone_number: `+1415555${String(3000 + n)}` }, by)
    const page = await search(`?status=created&campaign_id=${campaign}&per_page=3&page=2&utm=x`, by)
    const url = (n: number): string => `${list}?status=created&campaign_id=${campaign}&per_page=3&page=${n}`
    const link = (n: number, active = false) => ({ url: url(n), label: String(n), active })
    expect(page).toEqual({
      current_page: 2,
      data: [expect.anything(), expect.anything(), expect.anything()],
      first_page_url: url(1),
      from: 4,
      last_page: 3,
      last_page_url: url(3),
      links: [
        { url: url(1), label: '&laquo; Previous', active: false },
        link(1),
        link(2, true),
        link(3),
        { url: url(3), label: 'Next &raquo;', active: false },
      ],
      next_page_url: url(3),
      path: list,
      per_page: 3,
      prev_page_url: url(1),
      to: 6,
      total: 7,
    })
    expect(await search('?page=9', by)).toMatchObject({
      current_page: 9,
      data: [],
      from: null,
      to: null,
      last_page: 1,
      total: 7,
    })
    expect(await search('', await api.account())).toMatchObject({
      data: [],
      from: null,
      to: null,
      last_page: 1,
      total: 0,
    })
    expect(await search()).toMatchObject({ per_page: 15, current_page: 1 })
  })

  test.each([
    ['per_page=101', 'per_page'],
    ['per_page=0', 'per_page'],
    ['page=0', 'page'],
    ['status=lost', 'status'],
    ['date_from=2026-13-01', 'date_from'],
    ['date_from=2026-08-02&date_to=2026-08-01', 'date_to'],
    ['campaign_id=1', 'campaign_id'],
    ['campaign_id=987654', 'campaign_id'],
  ])('are not listed with %s', async (query, field) => {
    const { status, body } = await api.ask('GET', `${list}?${query}`, owner)
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] })
  })

  test('are updated in part; variables are merged, and the status created queues them again', async () => {
    const { id } = (await create({ campaign_id: calls, phone_number: '+14155550130', variables: { a: 1, b: 2 } })).body
      .data
    const change = (body: object) => api.ask('PUT', `${list}/${id}`, { ...owner, body })
    const tables = await tablesOf(api.place)
    await tables.write('rows', (query) =>
      query.updateTable('lead').set({ attempts: 2, status: 'rescheduled' }).where('id', '=', id).execute(),
    )
    wall += 60_000
    expect(await change({ variables: { b: 3, c: null } })).toMatchObject({
      status: 200,
      body: { message: 'Lead updated successfully' },
    })
    expect(await get(id)).toMatchObject({
      variables: { a: 1, b: 3, c: null },
      status: 'rescheduled',
      updated_at: '2026-08-04 12:01:00',
    })
    const saved = async () =>
      tables.read
        .selectFrom('lead')
        .select(['status', 'attempts', 'next_attempt_at'])
        .where('id', '=', id)
        .executeTakeFirst()
    await change({ status: 'completed' })
    expect(await saved()).toEqual({ status: 'completed', attempts: 2, next_attempt_at: null })
    await change({ status: 'reached-max-retries' })
    await change({ status: 'created', campaign_id: texts, phone_number: '+14155550131' })
    expect(await saved()).toEqual({ status: 'created', attempts: 0, next_attempt_at: wall * 1000 })
    expect(await get(id)).toMatchObject({
      campaign: { id: texts, name: 'Texts', channel: 'sms' },
      phone_number: '+14155550131',
    })
    wall -= 60_000
  })

  test('are not changed by an invalid update', async () => {
    const { id } = (await create({ campaign_id: calls, phone_number: '+14155550132' })).body.data
    const before = await get(id)
    const change = (body: object, by = owner, of = id) => api.ask('PUT', `${list}/${of}`, { ...by, body })
    expect(await change({ name: 'x', status: 'lost', color: 1 })).toMatchObject({
      status: 422,
      body: { message: 'Invalid fields: name, color' },
    })
    expect(await change({ status: 'processing' })).toMatchObject({
      status: 422,
      body: { message: 'Validation failed', errors: { status: expect.anything() } },
    })
    expect(await change({ phone_number: '12' })).toMatchObject({
      status: 422,
      body: { message: 'Invalid phone number' },
    })
    expect(await change({ campaign_id: 1 })).toMatchObject({ status: 404, body: { message: 'Campaign not found' } })
    const missing = { status: 404, body: { message: 'Lead not found' } }
    expect(await change({ status: 'completed' }, await api.account())).toMatchObject(missing)
    expect(await change({ status: 'completed' }, owner, 987_654)).toMatchObject(missing)
    expect(await get(id)).toEqual(before)
  })

  test('are deleted with their secondary contacts, by their owner', async () => {
    const { id } = (
      await create({
        campaign_id: calls,
        phone_number: '+14155550140',
        secondary_contacts: [{ phone_number: '+14155550141' }],
      })
    ).body.data
    const remove = (by = owner) => api.ask('DELETE', `${list}/${id}`, by)
    expect(await remove(await api.account())).toMatchObject({ status: 404, body: { message: 'Lead not found' } })
    const { read } = await tablesOf(api.place)
    const contacts = () => read.selectFrom('lead_contact').select('id').where('lead_id', '=', id).execute()
    expect(await contacts()).toHaveLength(1)
    expect(await remove()).toMatchObject({ status: 200, body: { message: 'Lead deleted successfully' } })
    expect(await contacts()).toEqual([])
    expect(await remove()).toMatchObject({ status: 404 })
  })

  test('have correct counters after all of these requests', async () => {
    expect((await api.control('GET', '/control/check')).body.lists).toContainEqual({ list: 'lead', wrong: 0 })
  })
})
