import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { chatPlatform, type Owner } from '../../../support/platform/chat-platform.ts'

describe.each(databases)('calls on $name', (database) => {
  let isDown = false
  let duringDial: (() => Promise<unknown>) | undefined
  const carrierSteps: string[] = []
  const gate = async (step: string): Promise<void> => {
    if (step.startsWith('carrier')) carrierSteps.push(step)
    if (step === 'carrier.dial:after') await duringDial?.()
    if (isDown && step === 'carrier.dial:after') throw new Error('The line is dead.')
  }
  const { time, owner, balance, ledger, api, tables } = chatPlatform(database, { gate })
  const start = (by: Owner, phone_number = '+14155550111', more: object = {}, headers = {}) =>
    api().ask('POST', '/api/user/make_call', {
      key: by.key,
      body: { phone_number, assistant_id: by.assistant.id, ...more },
      headers,
    })
  const list = (by: Owner, query = '') => api().ask('GET', `/api/user/calls${query}`, by)
  const last = async (by: Owner) => (await list(by)).body.data[0]
  const pass = async (seconds: number): Promise<void> => {
    time.ms += seconds * 1000
    await api().platform.due.drain()
  }

  test('ring, are answered, and are charged per started minute at their end', async () => {
    const by = await owner()
    expect(await start(by, '+14155550111', { variables: { first_name: 'Anna' } })).toMatchObject({
      status: 200,
      text: '{"message":"Call initiated successfully","data":{}}',
    })
    expect(await last(by)).toMatchObject({
      type: 'outbound',
      status: 'initiated',
      client_phone_number: '+14155550111',
      assistant_name: 'Desk',
      duration: 0,
    })
    expect(await balance(by)).toBe(0.9)
    await pass(0)
    expect((await last(by)).status).toBe('ringing')
    await pass(6)
    expect(await last(by)).toMatchObject({ status: 'in-progress', answered_by: 'human' })
    await pass(600)
    const call = await last(by)
    expect(call).toMatchObject({
      status: 'ended_by_customer',
      transcript: expect.stringContaining('AI: Hello Anna, this is Desk.'),
    })
    const minutes = Math.ceil(call.duration / 60)
    expect(call).toMatchObject({
      total_cost: minutes * 0.1,
      carrier_cost: minutes * 0.02,
      variables: { first_name: 'Anna' },
    })
    expect(await balance(by)).toBeCloseTo(1 - minutes * 0.1)
    expect((await api().ask('GET', `/api/user/calls/${call.id}`, by)).body).toEqual(call)
    await pass(600)
    expect(await last(by)).toEqual(call)
  })

  test.each([
    ['+15005550300', 'busy', null, 0],
    ['+15005550301', 'no-answer', null, 0],
    ['+15005550302', 'completed', 'machine', 0.1],
    ['+15005550303', 'ended_by_assistant', 'human', undefined],
    ['+15005550304', 'failed', null, 0],
  ])('to %s end as %s', async (phone, status, answered_by, cost) => {
    const by = await owner()
    expect(await start(by, phone)).toMatchObject({ status: 200 })
    await pass(1000)
    await pass(1000)
    const call = await last(by)
    expect(call).toMatchObject({ status, answered_by, ...(cost !== undefined && { total_cost: cost }) })
    expect(await balance(by)).toBeCloseTo(1 - call.total_cost)
    if (cost === 0) {
      const [, ...entries] = await ledger(by)
      expect(entries.map((it) => it.amount)).toEqual([-0.1, 0.1])
      const outcomes: Readonly<Record<string, string>> = {
        busy: 'was busy',
        'no-answer': 'was not answered',
        failed: 'failed',
      }
      expect(entries[1]?.reason).toBe(`Call to ${phone} ${outcomes[status]}`)
    }
  })

  test('are refused without a number, an own assistant, or balance for a minute', async () => {
    const [by, other, poor] = [await owner(), await owner(), await owner({ balance: 0.05 })]
    expect(await start(by, '123')).toMatchObject({ status: 400, text: '{"message":"Invalid phone number"}' })
    expect(await start(by, undefined, { assistant_id: other.assistant.id })).toMatchObject({
      status: 404,
      text: '{"message":"Assistant not found"}',
    })
    expect(await start(poor)).toMatchObject({ status: 422, text: '{"message":"Insufficient balance"}' })
    for (const owner of [by, other, poor]) expect((await list(owner)).body.total).toBe(0)
    expect(await balance(poor)).toBe(0.05)
  })

  test('that cannot be paid to their end cost what was paid so far', async () => {
    const by = await owner({ balance: 0.1 })
    // Of this number everybody knows that it talks for more than a minute.
    await start(by, '+14155550113')
    await pass(1000)
    await pass(1000)
    const call = await last(by)
    expect(call.duration).toBeGreaterThan(60)
    expect(call.total_cost).toBe(0.1)
    expect(await balance(by)).toBe(0)
  })

  test('under one key are placed once, also if the carrier disconnects', async () => {
    const by = await owner()
    const headers = { 'idempotency-key': 'once' }
    isDown = true
    expect(await start(by, undefined, {}, headers)).toMatchObject({ status: 500 })
    isDown = false
    expect(await start(by, undefined, {}, { ...headers, 'parley-recall': '1' })).toMatchObject({ status: 200 })
    expect(await start(by, undefined, {}, headers)).toMatchObject({ status: 200 })
    await pass(1000)
    await pass(1000)
    const calls = await tables()
      .read.selectFrom('phone_call')
      .select(['id', 'created_at'])
      .where('account_id', '=', by.id)
      .execute()
    expect(calls).toHaveLength(1)
    const key = `call-${calls[0]?.id}-${calls[0]?.created_at}-dial`
    expect(await tables().read.selectFrom('local_call').select('sid').where('key', '=', key).execute()).toHaveLength(1)
    expect((await ledger(by)).filter((it) => it.kind === 'charge').length).toBeLessThanOrEqual(2)
  })

  test('are stopped once, with the cost of the elapsed time', async () => {
    const [by, other] = [await owner(), await owner()]
    const stop = async (it: Owner, id: number) => api().ask('POST', `/api/user/calls/${id}/stop`, { key: it.key })
    await start(by, '+14155550113')
    await pass(0)
    await pass(8)
    const { id } = await last(by)
    expect(await stop(other, id)).toMatchObject({ status: 404 })
    const { status, body } = await stop(by, id)
    expect([status, body.data.status, body.data.total_cost, body.data.carrier_cost]).toEqual([200, 'ended', 0.1, 0.02])
    expect(body.data.transcript).toContain('AI: Hello')
    await pass(1000)
    expect(await last(by)).toEqual(body.data)
    expect(await balance(by)).toBeCloseTo(0.9)
    expect(await stop(by, id)).toMatchObject({ status: 409, text: '{"message":"The call has already ended: ended"}' })
    const events = await tables().read.selectFrom('outbox').selectAll().where('account_id', '=', by.id).execute()
    expect(events.filter((it) => it.kind === 'call.ended')).toHaveLength(1)
    await start(by)
    expect((await stop(by, (await last(by)).id)).body.data).toMatchObject({ status: 'no-answer', total_cost: 0 })
    expect(await balance(by)).toBeCloseTo(0.9)
  })

  test.each([
    ['stopped', (id: number) => ['POST', `/api/user/calls/${id}/stop`] as const],
    ['deleted', (id: number) => ['DELETE', `/api/user/calls/${id}`] as const],
  ])('that are %s while the carrier accepts them are hung up, and cost nothing', async (_, request) => {
    const by = await owner()
    duringDial = async () => {
      duringDial = undefined
      const [method, path] = request((await last(by)).id)
      expect((await api().ask(method, path, { key: by.key })).status).toBe(200)
    }
    carrierSteps.length = 0
    expect(await start(by, '+14155550113')).toMatchObject({ status: 200 })
    expect(carrierSteps.slice(2)).toEqual(['carrier.hangUp:before', 'carrier.hangUp:after'])
    await pass(1000)
    expect(await balance(by)).toBe(1)
  })

  test('are listed by status, type, number, assistant and day, and deleted', async () => {
    const [by, other] = [await owner(), await owner()]
    await start(by)
    await start(by, '+15005550300')
    await pass(1000)
    const total = async (query: string) => (await list(by, query)).body.total
    const today = new Date(time.ms).toISOString().slice(0, 10)
    expect(await total('')).toBe(2)
    expect(await total('?status=busy')).toBe(1)
    expect(await total('?type=inbound')).toBe(0)
    expect(await total('?phone_number=%2B14155550111')).toBe(1)
    expect(await total(`?assistant_id=${by.assistant.id}&date_from=${today}&date_to=${today}`)).toBe(2)
    expect(await total('?date_to=2020-01-01')).toBe(0)
    expect((await list(by, `?assistant_id=${other.assistant.id}`)).body.errors).toEqual({
      assistant_id: ['The selected assistant id is invalid.'],
    })
    const campaign = { name: 'Recall', assistant_id: other.assistant.id }
    const theirs = (await api().ask('POST', '/api/user/campaign', { ...other, body: campaign })).body.data.id
    expect((await list(by, `?campaign_id=${theirs}`)).body.errors).toEqual({
      campaign_id: ['The selected campaign id is invalid.'],
    })
    expect((await list(other, `?campaign_id=${theirs}`)).body.total).toBe(0)
    const { id } = await last(by)
    const remove = (as: Owner) => api().ask('DELETE', `/api/user/calls/${id}`, as)
    expect(await remove(other)).toMatchObject({
      status: 404,
      text: '{"message":"Call not found or does not belong to the authenticated user"}',
    })
    expect(await api().ask('GET', `/api/user/calls/${id}`, other)).toMatchObject({
      status: 404,
      text: '{"message":"Call not found"}',
    })
    expect(await remove(by)).toMatchObject({ status: 200, text: '{"message":"Call deleted successfully"}' })
    expect(await remove(by)).toMatchObject({ status: 404 })
    expect(await total('')).toBe(1)
    await pass(1000)
  })
})
