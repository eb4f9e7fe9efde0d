import { describe, expect, test } from 'vitest'
import { countSegments } from '../../../../src/contract/values/sms-segments.ts'
import { insertNumber } from '../../../../src/platform/store/numbers/numbers.ts'
import { databases } from '../../../support/databases.ts'
import { chatPlatform } from '../../../support/platform/chat-platform.ts'
import type { TestAccount } from '../../../support/platform/platform-api.ts'

test.each([
  ['', 1],
  ['x'.repeat(160), 1],
  ['x'.repeat(161), 2],
  ['x'.repeat(306), 2],
  ['x'.repeat(307), 3],
  ['€'.repeat(80), 1],
  ['€'.repeat(81), 2],
  ['ж'.repeat(70), 1],
  ['ж'.repeat(71), 2],
  ['🦷'.repeat(36), 2],
])('%j is sent in %i parts', (text, parts) => {
  expect(countSegments(text)).toBe(parts)
})

describe.each(databases)('SMS on $name', (database) => {
  let isDown = false
  const gate = async (step: string): Promise<void> => {
    if (isDown && step === 'texting.send:after') throw new Error('The line is dead.')
  }
  const { balance, ledger, api, tables } = chatPlatform(database, { gate })
  let numbers = 0
  async function owner(
    fields: object = {},
    sms_capable = 1,
  ): Promise<TestAccount & { readonly from: number; readonly phone: string }> {
    const account = await api().account({ balance: 1, ...fields })
    const phone = `+1415555${3000 + ++numbers}`
    const row = {
      account_id: account.id,
      phone_number: phone,
      country_code: 'US',
      region: null,
      type: 'normal' as const,
      sms_capable,
      nickname: null,
      created_at: 1,
    }
    return {
      ...account,
      phone,
      from: (await tables().write({ rows: account.id }, (query) => insertNumber(query, row))).id,
    }
  }
  const send = (by: TestAccount & { from: number }, more: object = {}, headers = {}) =>
    api().ask('POST', '/api/user/sms', {
      key: by.key,
      body: { from: by.from, to: '+14155550111', body: 'Hello', ...more },
      headers,
    })

  test('is accepted by the carrier and paid per part', async () => {
    const by = await owner()
    const answer = await send(by, { body: 'x'.repeat(200) })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        message: 'SMS sent successfully',
        data: {
          phone_number_id: by.from,
          to: '+14155550111',
          body: 'x'.repeat(200),
          user_id: by.id,
          segments: 2,
          segment_price: 0.01,
          total_cost: 0.02,
          status: 'queued',
          sms_sid: expect.stringMatching(/^SM[0-9a-f]{32}$/),
        },
      },
    })
    expect(await balance(by)).toBe(0.98)
  })

  test('is refused by its rules without cost', async () => {
    const [by, other, mute, poor] = [await owner(), await owner(), await owner({}, 0), await owner({ balance: 0 })]
    const refused = (text: string) => ({ status: 400, text: `{"message":"${text}"}` })
    expect(await send(by, { from: other.from })).toMatchObject(refused('From number not found'))
    expect(await send(by, { from: 987_654 })).toMatchObject(refused('From number not found'))
    expect(await send(by, { to: '123' })).toMatchObject(refused('Invalid to phone number'))
    expect(await send(mute)).toMatchObject(refused('From number is not SMS capable'))
    expect(await send(poor)).toMatchObject(refused('Insufficient balance'))
    expect(await send(by, { body: 'x'.repeat(301) })).toMatchObject({ status: 422 })
    expect(await balance(by)).toBe(1)
  })

  test('that the carrier refuses is refunded', async () => {
    const by = await owner()
    expect(await send(by, { to: '+15005550200' })).toMatchObject({
      status: 500,
      text: '{"message":"Failed to send SMS","error":"send_failed"}',
    })
    expect((await ledger(by)).slice(1).map((it) => it.amount)).toEqual([-0.01, 0.01])
  })

  test('under one key is sent once, also when the carrier disconnects, and finished by the next process', async () => {
    const by = await owner()
    const headers = { 'idempotency-key': 'once' }
    isDown = true
    expect(await send(by, {}, headers)).toMatchObject({ status: 500, text: '{"message":"Server Error"}' })
    isDown = false
    const recalled = await send(by, {}, { ...headers, 'parley-recall': '1' })
    expect(recalled).toMatchObject({ status: 201 })
    expect((await send(by, {}, headers)).body).toEqual(recalled.body)
    await api().platform.due.drain()
    expect(await balance(by)).toBe(0.99)
    const sent = await tables().read.selectFrom('local_sms').select('sid').where('sender', '=', by.phone).execute()
    expect(sent).toEqual([{ sid: recalled.body.data.sms_sid }])
  })
})
