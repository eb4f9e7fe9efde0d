import { describe, expect, test } from 'vitest'
import { insertNumber } from '../../../../src/platform/store/numbers/numbers.ts'
import { databases } from '../../../support/databases.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'

const berlin = '+493012345678'
/** A toll-free number, whose time zones go from Guam to Newfoundland: an hour of the day is never open in all. */
const tollFree = '+18005550111'

describe.each(databases)('outside the hours of the account on $name', (database) => {
  const platform = simulationPlatform(database)
  type Owner = Awaited<ReturnType<typeof platform.owner>>
  const ask = (by: Owner, method: 'POST' | 'PUT', path: string, body: object, headers?: Record<string, string>) =>
    platform.api().ask(method, `/api/user/${path}`, { key: by.key, body, ...(headers && { headers }) })
  /** Returns the time of day in Berlin, some minutes from now. */
  const timeIn = (minutes: number): string =>
    new Date(platform.time.ms + minutes * 60_000).toLocaleTimeString('sv-SE', {
      timeZone: 'Europe/Berlin',
      hour: '2-digit',
      minute: '2-digit',
    })
  /** Hours that open in an hour, and are open for an hour. */
  const inAnHour = () => ({ schedule_windows: [{ start: timeIn(60), end: timeIn(120) }] })
  const setHours = (by: Owner, hours: object) => ask(by, 'PUT', 'contact-hours', hours)
  const waiting = async (by: Owner) => (await platform.get(by, 'waiting-contacts?state=all')).data
  const balance = async (by: Owner): Promise<number> => (await platform.get(by, 'me')).total_balance
  const messages = async (by: Owner) => (await platform.get(by, 'messaging/messages')).data
  const calls = async (by: Owner) => (await platform.get(by, 'calls')).data
  const number = (by: Owner) =>
    platform.tables().write({ rows: by.id }, (query) =>
      insertNumber(query, {
        account_id: by.id,
        phone_number: `+1415556${String(1000 + by.id)}`,
        country_code: 'US',
        region: null,
        type: 'normal',
        sms_capable: 1,
        nickname: null,
        created_at: 1,
      }),
    )

  test('a template, an SMS and a call wait, cost nothing, and are started once when the hours open', async () => {
    const by = await platform.owner()
    const sender = await platform.sender(by)
    const { id: from } = await number(by)
    const before = await balance(by)
    await setHours(by, inAnHour())
    const template = { sender_id: sender.id, recipient_phone: berlin, template_id: sender.template }
    const answers = [
      await ask(by, 'POST', 'messaging/send', template),
      await ask(by, 'POST', 'sms', { from, to: berlin, body: 'Hello' }),
      await ask(by, 'POST', 'make_call', { phone_number: berlin, assistant_id: by.assistant }),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(202)
      expect(body).toMatchObject({
        success: false,
        error_code: 'OUTSIDE_CONTACT_HOURS',
        waiting: { phone_number: berlin },
      })
      expect(body).not.toHaveProperty('message_id')
      expect(body).not.toHaveProperty('data')
    }
    await platform.minutes(30)
    expect((await waiting(by)).map((it: { state: string }) => it.state)).toEqual(['waiting', 'waiting', 'waiting'])
    expect(await balance(by)).toBe(before)
    expect([...(await messages(by)), ...(await calls(by))]).toEqual([])
    await platform.minutes(31)
    const started = await waiting(by)
    expect(started.map((it: { state: string }) => it.state)).toEqual(['started', 'started', 'started'])
    const [message] = await messages(by)
    const [call] = await calls(by)
    expect([started[2].started_id, started[0].started_id]).toEqual([message.id, call.id])
    expect(await balance(by)).toBeLessThan(before)
    await platform.minutes(30)
    expect([(await messages(by)).length, (await calls(by)).length]).toEqual([1, 1])
  })

  test('the same idempotency key gets the same answer, and nothing waits twice', async () => {
    const by = await platform.owner()
    await setHours(by, inAnHour())
    const call = { phone_number: berlin, assistant_id: by.assistant }
    const first = await ask(by, 'POST', 'make_call', call, { 'idempotency-key': 'once' })
    const again = await ask(by, 'POST', 'make_call', call, { 'idempotency-key': 'once' })
    expect([again.status, again.body]).toEqual([first.status, first.body])
    expect(await waiting(by)).toHaveLength(1)
    await platform.minutes(61)
    expect((await ask(by, 'POST', 'make_call', call, { 'idempotency-key': 'once' })).body).toEqual(first.body)
    expect(await calls(by)).toHaveLength(1)
  })

  test('a person sends now, and a request that could never be sent is refused at once', async () => {
    const by = await platform.owner()
    await setHours(by, inAnHour())
    const call = { phone_number: berlin, assistant_id: by.assistant }
    expect((await ask(by, 'POST', 'make_call', { ...call, now: true })).status).toBe(200)
    expect((await ask(by, 'POST', 'make_call', { ...call, assistant_id: 999_999 })).status).toBe(404)
    expect(await waiting(by)).toEqual([])
  })

  test('what is for a number whose hours never open is refused at once, stores and costs nothing, and is sent with now', async () => {
    const by = await platform.owner()
    const sender = await platform.sender(by)
    const { id: from } = await number(by)
    await platform.simulate(by, 'message', { sender: sender.phone, from: tollFree, text: 'Are you there?' })
    await platform.minutes(1)
    const before = await balance(by)
    const sent = (await messages(by)).length
    await setHours(by, inAnHour())
    const call = { phone_number: tollFree, assistant_id: by.assistant }
    const requests = [
      ['messaging/send', { sender_id: sender.id, recipient_phone: tollFree, template_id: sender.template }],
      ['messaging/send-freeform', { sender_id: sender.id, recipient_phone: tollFree, message: 'Hello' }],
      ['sms', { from, to: tollFree, body: 'Hello' }],
      ['make_call', call],
    ] as const
    for (const [path, body] of requests)
      expect(await ask(by, 'POST', path, body), path).toMatchObject({
        status: 422,
        body: {
          success: false,
          error_code: 'NO_COMMON_CONTACT_HOUR',
          error: expect.stringContaining('Nothing was sent or charged'),
        },
      })
    expect(await waiting(by)).toEqual([])
    expect([await balance(by), (await messages(by)).length, await calls(by)]).toEqual([before, sent, []])
    expect((await ask(by, 'POST', 'make_call', { ...call, now: true })).status).toBe(200)
  })

  test('what waits ends as failed when the hours are changed so that they never open for its number', async () => {
    const by = await platform.owner()
    const before = await balance(by)
    const tomorrow = new Date(platform.time.ms + 86_400_000).toISOString().slice(0, 10)
    const today = new Date(platform.time.ms).toISOString().slice(0, 10)
    await setHours(by, { holidays: [today, tomorrow] })
    const call = { phone_number: tollFree, assistant_id: by.assistant }
    expect((await ask(by, 'POST', 'make_call', call)).status).toBe(202)
    await setHours(by, { holidays: null, ...inAnHour() })
    await platform.minutes(1)
    expect(await waiting(by)).toMatchObject([
      { state: 'failed', started_id: null, error: expect.stringContaining('not open in all time zones') },
    ])
    await setHours(by, { schedule_windows: null })
    await platform.minutes(60)
    expect([await calls(by), await balance(by)]).toEqual([[], before])
  })

  test('what waits starts when the hours are changed or removed', async () => {
    const by = await platform.owner()
    await setHours(by, inAnHour())
    await ask(by, 'POST', 'make_call', { phone_number: berlin, assistant_id: by.assistant })
    await setHours(by, { schedule_windows: [{ start: timeIn(20), end: timeIn(90) }] })
    await platform.minutes(15)
    expect(await calls(by)).toEqual([])
    await platform.minutes(6)
    expect(await calls(by)).toHaveLength(1)
    await setHours(by, { schedule_windows: [{ start: timeIn(60), end: timeIn(90) }] })
    await ask(by, 'POST', 'make_call', { phone_number: berlin, assistant_id: by.assistant })
    expect(await calls(by)).toHaveLength(1)
    await setHours(by, { schedule_windows: null })
    await platform.minutes(1)
    expect(await calls(by)).toHaveLength(2)
  })

  test('everything is checked again: a recipient who opted out since is not contacted, and the reason is shown', async () => {
    const by = await platform.owner()
    const before = await balance(by)
    await setHours(by, inAnHour())
    await ask(by, 'POST', 'make_call', { phone_number: berlin, assistant_id: by.assistant })
    await ask(by, 'POST', 'blocked-contacts', { contacts: [{ phone_number: berlin, channel: 'call' }] })
    await platform.minutes(61)
    expect(await waiting(by)).toMatchObject([{ state: 'failed', error: expect.stringContaining('opted out') }])
    expect(await calls(by)).toEqual([])
    expect(await balance(by)).toBe(before)
    expect((await platform.events(by)).map((it) => it.kind)).toContain('contact.skipped')
  })

  test('a message without a template whose 24-hour window ends is reported as failed and costs nothing', async () => {
    const by = await platform.owner()
    const sender = await platform.sender(by)
    await platform.simulate(by, 'message', { sender: sender.phone, from: berlin, text: 'Are you there?' })
    await platform.minutes(1)
    const before = await balance(by)
    const sent = (await messages(by)).length
    const today = new Date(platform.time.ms)
    const days = [0, 1, 2].map((n) => new Date(today.getTime() + n * 86_400_000).toISOString().slice(0, 10))
    await setHours(by, { holidays: days })
    const freeform = { sender_id: sender.id, recipient_phone: berlin, message: 'Hello' }
    expect((await ask(by, 'POST', 'messaging/send-freeform', freeform)).status).toBe(202)
    await platform.minutes(23 * 60)
    expect(await waiting(by)).toMatchObject([{ state: 'waiting' }])
    await platform.minutes(61)
    expect(await waiting(by)).toMatchObject([{ state: 'failed' }])
    expect([await balance(by), (await messages(by)).length]).toEqual([before, sent])
  })

  test('a reply to a message is sent outside the hours', async () => {
    const by = await platform.owner()
    const sender = await platform.sender(by)
    await setHours(by, inAnHour())
    await platform.simulate(by, 'message', { sender: sender.phone, from: berlin, text: 'Hello' })
    await platform.minutes(1)
    expect(await messages(by)).toHaveLength(1)
    expect(await waiting(by)).toEqual([])
  })

  test('what waits waits on while the account is stopped, and starts after the resume', async () => {
    const by = await platform.owner()
    await setHours(by, inAnHour())
    await ask(by, 'POST', 'make_call', { phone_number: berlin, assistant_id: by.assistant })
    expect((await ask(by, 'POST', 'stop', {})).body.data).toMatchObject({ calls: 0, waiting: 1 })
    await platform.minutes(70)
    expect(await calls(by)).toEqual([])
    await ask(by, 'POST', 'resume', {})
    await platform.minutes(1)
    expect(await calls(by)).toHaveLength(1)
    expect((await platform.get(by, 'activity')).data).toMatchObject({ waiting: 0 })
  })

  test('what waits is cancelled: it is never sent, costs nothing, and a repeated request does not send it', async () => {
    const by = await platform.owner()
    const before = await balance(by)
    await setHours(by, inAnHour())
    const call = { phone_number: berlin, assistant_id: by.assistant }
    const first = await ask(by, 'POST', 'make_call', call, { 'idempotency-key': 'wrong' })
    const path = `waiting-contacts/${first.body.waiting.id}/cancel`
    const cancelled = await ask(by, 'POST', path, {})
    expect([cancelled.status, cancelled.body.data.state]).toEqual([200, 'cancelled'])
    expect((await ask(by, 'POST', path, {})).body).toEqual(cancelled.body)
    await platform.minutes(61)
    expect((await ask(by, 'POST', 'make_call', call, { 'idempotency-key': 'wrong' })).body).toEqual(first.body)
    await platform.minutes(1)
    expect([await calls(by), await balance(by)]).toEqual([[], before])
    expect(await waiting(by)).toMatchObject([{ state: 'cancelled', started_id: null, error: null }])
  })

  test('what was started, or never waited, cannot be cancelled', async () => {
    const by = await platform.owner()
    await setHours(by, inAnHour())
    const call = { phone_number: berlin, assistant_id: by.assistant }
    const { id } = (await ask(by, 'POST', 'make_call', call)).body.waiting
    await platform.minutes(61)
    const late = await ask(by, 'POST', `waiting-contacts/${id}/cancel`, {})
    expect([late.status, late.body.message]).toEqual([409, 'It does not wait any more: started.'])
    expect((await ask(by, 'POST', `waiting-contacts/${id + 1}/cancel`, {})).status).toBe(404)
    expect(await calls(by)).toHaveLength(1)
  })

  test('what waits is sent at once by a person: once, also when asked for again, at the same time, and when the hours open', async () => {
    const by = await platform.owner()
    const sender = await platform.sender(by)
    const { id: from } = await number(by)
    const before = await balance(by)
    await setHours(by, inAnHour())
    await ask(by, 'POST', 'messaging/send', {
      sender_id: sender.id,
      recipient_phone: berlin,
      template_id: sender.template,
    })
    await ask(by, 'POST', 'sms', { from, to: berlin, body: 'Hello' })
    await ask(by, 'POST', 'make_call', { phone_number: berlin, assistant_id: by.assistant })
    expect(await waiting(by)).toMatchObject([
      {
        channel: 'call',
        content: expect.any(String),
        max_cost: null,
        closed_by: 'hours',
        timezones: ['Europe/Berlin'],
      },
      { channel: 'sms', content: 'Hello', max_cost: 0.01, closed_in: 'Europe/Berlin' },
      { channel: 'messaging', max_cost: 0.008 },
    ])
    for (const id of [1, 2, 3]) {
      const send = () => ask(by, 'POST', `waiting-contacts/${id}/send`, {})
      const answers = await Promise.all([send(), send(), send()])
      for (const { status, body } of answers)
        expect([status, body.data], JSON.stringify(body)).toMatchObject([
          200,
          { id, state: 'started', closed_by: null },
        ])
      expect(new Set(answers.map(({ body }) => body.data.started_id)).size).toBe(1)
    }
    const spent = before - (await balance(by))
    await platform.minutes(90)
    expect([(await messages(by)).length, (await calls(by)).length]).toEqual([1, 1])
    expect((await waiting(by)).map((it: { state: string }) => it.state)).toEqual(['started', 'started', 'started'])
    expect(spent).toBeGreaterThan(0)
    const sent = (await platform.events(by)).filter((it) => it.kind === 'sms.sent')
    expect(sent).toHaveLength(1)
  })

  test('what is refused at once waits on, and what does not wait is not sent', async () => {
    const by = await platform.owner()
    await setHours(by, inAnHour())
    const call = { phone_number: berlin, assistant_id: by.assistant }
    await ask(by, 'POST', 'make_call', call)
    await ask(by, 'POST', 'stop', {})
    const stopped = await ask(by, 'POST', 'waiting-contacts/1/send', {})
    expect([stopped.status >= 400, (await waiting(by))[0].state]).toEqual([true, 'waiting'])
    await ask(by, 'POST', 'resume', {})
    await ask(by, 'POST', 'blocked-contacts', { contacts: [{ phone_number: berlin, channel: 'call' }] })
    expect((await ask(by, 'POST', 'waiting-contacts/1/send', {})).status).toBe(422)
    expect(await waiting(by)).toMatchObject([{ state: 'waiting' }])
    await ask(by, 'POST', 'waiting-contacts/1/cancel', {})
    expect((await ask(by, 'POST', 'waiting-contacts/1/send', {})).status).toBe(409)
    expect((await ask(by, 'POST', 'waiting-contacts/2/send', {})).status).toBe(404)
    expect(await calls(by)).toEqual([])
  })

  test('a key that is used again after a day names another request, and both are started', async () => {
    const by = await platform.owner()
    const today = new Date(platform.time.ms)
    const days = [0, 1, 2].map((n) => new Date(today.getTime() + n * 86_400_000).toISOString().slice(0, 10))
    await setHours(by, { holidays: days })
    const call = { phone_number: berlin, assistant_id: by.assistant }
    await ask(by, 'POST', 'make_call', call, { 'idempotency-key': 'again' })
    await platform.minutes(25 * 60)
    expect((await ask(by, 'POST', 'make_call', { ...call, now: true }, { 'idempotency-key': 'again' })).status).toBe(
      200,
    )
    await setHours(by, { holidays: null })
    await platform.minutes(1)
    expect(await calls(by)).toHaveLength(2)
    expect(await waiting(by)).toMatchObject([{ state: 'started' }])
  })

  /** Creates an automation that sends an SMS, and returns its id and what starts a run. */
  async function automation(by: Owner, to: string) {
    const { id: from } = await number(by)
    const step = {
      name: 'sms',
      type: 'PIECE',
      settings: {
        pieceName: '@platform/piece-platform',
        actionName: 'sendSms',
        input: { from, to, body: 'Hello' },
      },
    }
    const trigger = {
      name: 'trigger',
      type: 'PIECE_TRIGGER',
      settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
    }
    const made = await ask(by, 'POST', 'automate/flows', {
      name: 'SMS',
      flow: { trigger, steps: [step] },
      confirm_side_effects: true,
    })
    const id: string = made.body.automation_id
    const fire = async (): Promise<void> => {
      await platform.api().ask('POST', `/automate/api/v1/webhooks/${id}`, { key: null, body: {} })
      // The run has to wait before the time moves on.
      await platform.seconds(1)
    }
    return { id, fire }
  }

  test('a run whose SMS is for a number whose hours never open fails, and names the reason', async () => {
    const by = await platform.owner()
    const { id, fire } = await automation(by, tollFree)
    await setHours(by, inAnHour())
    await fire()
    const runs = await platform.get(by, `automate/runs?automation_id=${id}&test=false`)
    expect(runs.data).toMatchObject([
      { status: 'FAILED', error: expect.stringContaining('not open in all time zones') },
    ])
  })

  test('a run of an automation waits before its SMS, and sends it once when the hours open or change', async () => {
    const by = await platform.owner()
    const { fire } = await automation(by, berlin)
    const count = async (): Promise<number> => (await platform.events(by)).filter((it) => it.kind === 'sms.sent').length
    // Its test has sent one when it was published.
    const before = await count()
    const sent = async (): Promise<number> => (await count()) - before
    await setHours(by, inAnHour())
    await fire()
    await platform.minutes(50)
    expect(await sent()).toBe(0)
    await platform.minutes(11)
    expect(await sent()).toBe(1)
    await setHours(by, { schedule_windows: [{ start: timeIn(300), end: timeIn(360) }] })
    await fire()
    await platform.minutes(30)
    expect(await sent()).toBe(1)
    await setHours(by, { schedule_windows: null })
    await platform.minutes(1)
    expect(await sent()).toBe(2)
    await platform.minutes(400)
    expect(await sent()).toBe(2)
  })
})
