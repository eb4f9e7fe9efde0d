import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../../../support/databases.ts'
import type { Answered, Api } from '../../../support/platform/platform-api.ts'
import { fresh, newPlace, openAt } from '../../../support/platform/test-platforms.ts'

async function keyWith(api: Api, restrictions: object): Promise<string> {
  const { status, body } = await api.ask('POST', '/api/user/api-keys', { body: { name: 'agent', ...restrictions } })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.api_key.token
}

/** A time from which a day later is in the same month, and 32 days later in the next one. */
const midMonth = { at: '2027-01-15T09:30:00Z' }

/** Opens a platform with a frozen clock in the middle of a month. Its sample data is of that time, so no subscription is due. */
async function openMidMonth(database: TestDatabase): Promise<Api> {
  const api = await fresh(database, { wall: () => Date.parse(midMonth.at) })
  await api.control('POST', '/control/clock/freeze', midMonth)
  return api
}

/** Returns a number of the sample account that sends SMS. */
async function smsNumber(api: Api): Promise<number> {
  const { body } = await api.ask('GET', '/api/user/phone-numbers/all')
  return body.data.find((it: { sms_capable: boolean }) => it.sms_capable).id
}

const sendSms = (api: Api, key: string, from: number): Promise<Answered> =>
  api.ask('POST', '/api/user/sms', { key, body: { from, to: '+14155550111', body: 'Hello' } })

/** Returns the restrictions of the newest key. */
const newestKey = async (api: Api) => (await api.ask('GET', '/api/user/api-keys/scopes')).body.data.at(-1)

/** Returns what the ledger of the sample account charged in micro-USD, refunds deducted. */
async function spent(api: Api): Promise<number> {
  const { data } = (await api.control('GET', '/control/accounts/1/ledger')).body
  return data
    .filter((it: { kind: string }) => /charge|refund/.test(it.kind))
    .reduce((sum: number, it: { amount: number }) => sum - Math.round(it.amount * 1_000_000), 0)
}

describe.each(databases)('budgets of keys on $name', (database) => {
  test('three servers with 64 requests each at once never spend more than the budget', async () => {
    const place = await newPlace(database)
    const first = await openAt(place)
    const servers = [first, await openAt(place), await openAt(place)]
    await first.control('POST', '/control/clock/freeze', midMonth)
    const from = await smsNumber(first)
    const key = await keyWith(first, { scope: 'spend', budget: '0.5/day' })
    const before = await spent(first)
    const answers = await Promise.all(
      servers.flatMap((api) => Array.from({ length: 64 }, () => sendSms(api, key, from))),
    )
    const sent = answers.filter((it) => it.status < 300)
    expect(sent).toHaveLength(50)
    for (const { status, body } of answers.filter((it) => it.status >= 300))
      expect([status, body.error]).toEqual([403, 'KEY_BUDGET_EXCEEDED'])
    expect((await spent(first)) - before).toBe(500_000)
    expect((await newestKey(first)).budget).toMatchObject({ amount: 0.5, left: 0 })
  })

  test('the refusal says what is left and when the budget renews, and it renews with the UTC day', async () => {
    const api = await openMidMonth(database)
    const from = await smsNumber(api)
    const key = await keyWith(api, { scope: 'spend', budget: '0.015/day' })
    expect((await sendSms(api, key, from)).status).toBeLessThan(300)
    const { status, body } = await sendSms(api, key, from)
    expect(status).toBe(403)
    expect(body).toMatchObject({
      error: 'KEY_BUDGET_EXCEEDED',
      left: 0.005,
      renews_at: expect.stringMatching(/T00:00:00.000Z$/),
    })
    expect(body.message).toContain('0.005 USD are left')
    await api.control('POST', '/control/clock/advance', { by: '1d' })
    expect((await sendSms(api, key, from)).status).toBeLessThan(300)
    expect((await newestKey(api)).budget.left).toBe(0.005)
  })

  test('a call reserves its longest duration, and what it costs replaces that', async () => {
    const api = await openMidMonth(database)
    const assistants = (await api.ask('GET', '/api/user/assistants/get')).body.data
    await api.ask('PUT', `/api/user/assistant/${assistants[0].id}`, { body: { max_duration: 300 } })
    const call = (key: string) =>
      api.ask('POST', '/api/user/make_call', {
        key,
        body: { phone_number: '+14155550111', assistant_id: assistants[0].id },
      })
    const low = await keyWith(api, { scope: 'spend', budget: '0.4/month' })
    const before = await spent(api)
    expect((await call(low)).body).toMatchObject({ error: 'KEY_BUDGET_EXCEEDED', left: 0.4 })
    expect(await spent(api)).toBe(before)
    const enough = await keyWith(api, { scope: 'spend', budget: '0.5/month' })
    expect((await call(enough)).status).toBeLessThan(300)
    expect((await newestKey(api)).budget.left).toBe(0)
    await api.control('POST', '/control/clock/advance', { by: '1h' })
    const { budget } = await newestKey(api)
    expect(Math.round((budget.amount - budget.left) * 1_000_000)).toBe((await spent(api)) - before)
  })

  test('a purchase and its renewals count against the key that bought the number', async () => {
    const api = await openMidMonth(database)
    const { body } = await api.ask('GET', '/api/user/phone-numbers/search?country_code=US')
    const { phone_number } = body.data[0]
    const poor = await keyWith(api, { scope: 'spend', budget: '0.1/month' })
    expect((await api.buy(phone_number, { key: poor })).body.error).toBe('KEY_BUDGET_EXCEEDED')
    const key = await keyWith(api, { scope: 'spend', budget: '10/month' })
    expect((await api.buy(phone_number, { key })).status).toBe(201)
    const first = (await newestKey(api)).budget.left
    expect(first).toBeLessThan(10)
    await api.control('POST', '/control/clock/advance', { by: '32d' })
    expect((await newestKey(api)).budget.left).toBe(first)
  })

  test('a chat created by a key without spend is refused as insufficient balance, and nothing is charged', async () => {
    const api = await fresh(database)
    const assistants = (await api.ask('GET', '/api/user/assistants/get')).body.data
    const { uuid } = (await api.ask('GET', '/api/user/assistants/get?per_page=100')).body.data.find(
      (it: { id: number }) => it.id === assistants[0].id,
    )
    const key = await keyWith(api, { scope: 'write' })
    const body = { assistant_id: uuid, type: 'widget' }
    const own = (await api.ask('POST', '/api/conversations', { key, body })).body.conversation_id
    const open = (await api.ask('POST', '/api/conversations', { key: null, body })).body.conversation_id
    const before = await spent(api)
    const send = (id: string, by: string | null) =>
      api.ask('POST', `/api/conversations/${id}/messages`, { key: by, body: { message: 'Hello' } })
    for (const [id, by] of [
      [own, null],
      [own, key],
      [open, key],
    ] as const) {
      const { status, body } = await send(id, by)
      expect([status, body.error]).toEqual([400, 'Insufficient balance. Please top up your account.'])
    }
    expect(await spent(api)).toBe(before)
    expect((await send(open, null)).status).toBe(200)
    expect(await spent(api)).toBe(before + 10_000)
  })
})
