import { beforeAll, describe, expect, test } from 'vitest'
import { sqlite } from '../support/databases.ts'
import { desk } from '../support/platform/assistant-drafts.ts'
import type { Api, TestAccount } from '../support/platform/platform-api.ts'
import { fresh } from '../support/platform/test-platforms.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
const anonymous = '11111111-1111-4111-8111-111111111111'

type Owner = TestAccount & { readonly assistant: { readonly id: number; readonly uuid: string } }

describe('a conversation', () => {
  let api: Api
  const clock = { ms: Date.UTC(2027, 2, 1, 12) }
  beforeAll(async () => {
    api = await fresh(sqlite, { seed: 7, wall: () => clock.ms })
  })

  async function owner(balance = 1): Promise<Owner> {
    const by = await api.account({ balance })
    await api.ask('POST', '/api/user/assistant', { ...by, body: desk })
    const [assistant] = (await api.ask('GET', '/api/user/assistants/get', by)).body.data
    return { ...by, assistant }
  }
  /** Started without a key, as on a web page; returns its UUID. */
  async function started(by: Owner, type = 'widget'): Promise<string> {
    const { status, body } = await api.ask('POST', '/api/conversations', {
      key: null,
      body: { assistant_id: by.assistant.uuid, type },
    })
    expect({ status, body }).toMatchObject({ status: 200 })
    return body.conversation_id
  }
  const say = (id: string, message: unknown) =>
    api.ask('POST', `/api/conversations/${id}/messages`, { key: null, body: { message } })
  const list = async (by: TestAccount, query = '') => (await api.ask('GET', `/api/user/conversations${query}`, by)).body
  const balance = async (by: TestAccount): Promise<number> =>
    (await api.ask('GET', '/api/user/me', by)).body.total_balance
  const refusalOf = async (by: TestAccount, query: string) => Object.keys((await list(by, query)).errors ?? {})

  test('is listed with all its fields, and the list has all fields of a page', async () => {
    const by = await owner()
    const id = await started(by)
    await say(id, 'Hello')
    const page = await list(by)
    expect(page.data).toEqual([
      {
        id: expect.stringMatching(uuid),
        assistant_id: by.assistant.uuid,
        assistant_name: desk.name,
        type: 'widget',
        message_count: 3,
        total_cost: 0.01,
        ai_enabled: true,
        created_at: expect.stringMatching(time),
        updated_at: expect.stringMatching(time),
      },
    ])
    expect(page.data[0].id).toBe(id)
    expect(Object.keys(page).sort()).toEqual(
      [
        'current_page',
        'data',
        'first_page_url',
        'from',
        'last_page',
        'last_page_url',
        'links',
        'next_page_url',
        'path',
        'per_page',
        'prev_page_url',
        'to',
        'total',
      ].sort(),
    )
  })

  test('has the type it was created with: test, widget, messaging, api', async () => {
    const by = await owner()
    await started(by, 'test')
    await started(by, 'widget')
    const reply = { assistant_id: by.assistant.id, customer_identifier: 'anna', message: 'Hello' }
    expect((await api.ask('POST', '/api/user/ai/generate-reply', { ...by, body: reply })).status).toBe(200)
    for (const type of ['test', 'widget', 'api'])
      expect((await list(by, `?type=${type}`)).data.map((it: { type: string }) => it.type)).toEqual([type])
    const sent = { sender_id: 1, template_id: 2, recipient_phone: '+14155550111' }
    expect((await api.ask('POST', '/api/user/messaging/send', { body: sent })).status).toBe(200)
    const own = { id: 1, key: api.platform.credentials().key as string }
    const messaging = (await list(own, '?type=messaging')).data
    expect(messaging.length).toBeGreaterThan(0)
    expect(new Set(messaging.map((it: { type: string }) => it.type))).toEqual(new Set(['messaging']))
    expect(await refusalOf(by, '?type=phone')).toEqual(['type'])
  })

  test('is only in the list of the owner of its assistant', async () => {
    const [by, other] = [await owner(), await owner()]
    const id = await started(by)
    expect((await list(by)).data.map((it: { id: string }) => it.id)).toEqual([id])
    expect(await list(other)).toMatchObject({ data: [], total: 0 })
    expect((await list(by, `?assistant_id=${by.assistant.id}`)).total).toBe(1)
    expect(await refusalOf(by, `?assistant_id=${other.assistant.id}`)).toEqual(['assistant_id'])
    expect(await refusalOf(by, '?assistant_id=one')).toEqual(['assistant_id'])
  })

  test('is found by its first day, from and until', async () => {
    const by = await owner()
    const days: string[] = []
    for (let n = 0; n < 3; n++) {
      clock.ms += 86_400_000
      days.push(new Date(clock.ms).toISOString().slice(0, 10))
      await started(by)
    }
    const total = async (query: string): Promise<number> => (await list(by, query)).total
    expect([
      await total(`?date_from=${days[1]}`),
      await total(`?date_to=${days[1]}`),
      await total(`?date_from=${days[1]}&date_to=${days[1]}`),
    ]).toEqual([2, 2, 1])
    expect(await refusalOf(by, '?date_from=yesterday')).toEqual(['date_from'])
    expect(await refusalOf(by, '?date_to=01.03.2027')).toEqual(['date_to'])
  })

  test('has pages of 15, or of 1 to 100, starting with the first', async () => {
    const by = await owner()
    for (let n = 0; n < 17; n++) await started(by, 'test')
    const first = await list(by)
    expect(first).toMatchObject({
      current_page: 1,
      per_page: 15,
      last_page: 2,
      from: 1,
      to: 15,
      total: 17,
      prev_page_url: null,
    })
    expect(first.data).toHaveLength(15)
    expect(await list(by, '?page=2')).toMatchObject({ current_page: 2, from: 16, to: 17, next_page_url: null })
    expect((await list(by, '?per_page=1')).data).toHaveLength(1)
    expect((await list(by, '?per_page=100')).data).toHaveLength(17)
    for (const wrong of [0, 101]) expect(await refusalOf(by, `?per_page=${wrong}`)).toEqual(['per_page'])
    expect(await refusalOf(by, '?page=0')).toEqual(['page'])
  })

  test('answers a message without an Authorization header, with a reply and its function calls', async () => {
    const id = await started(await owner())
    const { status, body } = await say(id, 'Hello')
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: true, message: expect.stringMatching(/./), function_calls: [] },
    })
    for (const call of (await say(id, '#function')).body.function_calls)
      expect(call).toEqual({ name: expect.any(String), arguments: expect.any(Object), result: expect.any(Object) })
  })

  test('accepts a message of 1 to 2000 characters', async () => {
    const id = await started(await owner(), 'test')
    const required = {
      status: 422,
      text: '{"message":"The message field is required.","errors":{"message":["The message field is required."]}}',
    }
    for (const missing of [undefined, '', null, '   ', '\n\t']) expect(await say(id, missing)).toMatchObject(required)
    expect(await say(id, 7)).toMatchObject({
      status: 422,
      body: { errors: { message: ['The message field must be a string.'] } },
    })
    for (const letter of ['x', '🙂']) {
      expect((await say(id, letter.repeat(2000))).status).toBe(200)
      expect(await say(id, letter.repeat(2001))).toMatchObject({
        status: 422,
        body: { errors: { message: [expect.stringContaining('2000 characters')] } },
      })
    }
  })

  test('that is unknown is not found', async () => {
    expect(await say(anonymous, 'Hello')).toMatchObject({
      status: 404,
      text: '{"status":false,"error":"Conversation not found"}',
    })
  })

  test('whose owner cannot pay refuses a message', async () => {
    const id = await started(await owner(0.01))
    expect((await say(id, 'Hello')).status).toBe(200)
    expect(await say(id, 'Hello')).toMatchObject({
      status: 400,
      text: '{"status":false,"error":"Insufficient balance. Please top up your account."}',
    })
  })

  test('reports why a message could not be answered', async () => {
    const id = await started(await owner())
    const { status, body } = await say(id, '#fail')
    expect({ status, body }).toEqual({
      status: 400,
      body: { status: false, error: expect.stringMatching(/^Failed to process message: .+/) },
    })
  })

  test('costs 0.01 USD a message in a widget, and nothing in a test', async () => {
    const by = await owner()
    const [widget, trial] = [await started(by), await started(by, 'test')]
    await say(trial, 'Hello')
    expect(await balance(by)).toBe(1)
    await say(widget, 'Hello')
    expect(await balance(by)).toBe(0.99)
  })
})
