import { describe, expect, test } from 'vitest'
import { yieldToEventLoop } from '../../../../src/node/real-time.ts'
import { markHandedOver, releaseHandOver } from '../../../../src/platform/store/contacts/blocked-contacts.ts'
import { insertNumber } from '../../../../src/platform/store/numbers/numbers.ts'
import { databases } from '../../../support/databases.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'

const phone = '+14155550143'
const channels = ['messaging', 'sms', 'call'] as const
type Channel = (typeof channels)[number]

/** The step of a provider in which the request of a channel starts. */
const requestStarts: Readonly<Record<Channel, string>> = {
  messaging: 'channel.send:before',
  sms: 'texting.send:before',
  call: 'carrier.dial:before',
}

describe.each(databases)('a blocked contact on $name', (database) => {
  /** Requests to providers that have started. */
  const started: string[] = []
  /** What happens in the next request of a channel, before its result is known. */
  let during: (() => Promise<unknown>) | undefined
  const gate = async (step: string): Promise<void> => {
    if (!Object.values(requestStarts).includes(step)) return
    started.push(step)
    const happens = during
    during = undefined
    await happens?.()
  }
  const platform = simulationPlatform(database, { gate })
  let numbers = 0

  async function operator() {
    const by = await platform.owner()
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 10 })
    const sender = await platform.sender(by)
    const own = {
      account_id: by.id,
      phone_number: `+1415555${3000 + ++numbers}`,
      country_code: 'US',
      region: null,
      type: 'normal' as const,
      sms_capable: 1,
      nickname: null,
      created_at: 1,
    }
    const { id: number } = await platform.tables().write({ rows: by.id }, (query) => insertNumber(query, own))
    const ask = (method: string, path: string, body?: object) =>
      platform.api().ask(method, `/api/user/${path}`, { key: by.key, ...(body && { body }) })
    const block = (channel: string, more: object = {}, phone_number = phone) =>
      ask('POST', 'blocked-contacts', { contacts: [{ phone_number, channel, ...more }] })
    const unblock = (channel: string) =>
      ask('POST', 'blocked-contacts/unblock', { contacts: [{ phone_number: phone, channel }] })
    const listed = async (query = '') => (await ask('GET', `blocked-contacts${query}`)).body.data
    const sends = {
      messaging: () =>
        ask('POST', 'messaging/send', { sender_id: sender.id, recipient_phone: phone, template_id: sender.template }),
      sms: () => ask('POST', 'sms', { from: number, to: phone, body: 'Hello' }),
      call: () => ask('POST', 'make_call', { phone_number: phone, assistant_id: by.assistant }),
    }
    const balance = async () => (await ask('GET', 'me')).body.total_balance
    const write = (text: string) => platform.simulate(by, 'message', { sender: sender.phone, from: phone, text })
    const skipped = async () => (await platform.events(by)).filter((it) => it.kind === 'contact.skipped')
    started.length = 0
    return { by, sender, number, ask, block, unblock, listed, sends, balance, write, skipped }
  }

  const refused = {
    status: 422,
    body: {
      success: false,
      error: 'The recipient has opted out. Nothing was sent.',
      error_code: 'PROVIDER_ERROR_21610',
    },
  }

  test.each(channels)('gets nothing over the channel %s, and nothing is charged', async (channel) => {
    const { block, unblock, sends, balance } = await operator()
    expect(await block(channel)).toMatchObject({
      status: 200,
      body: { data: { received: 1, blocked: 1, already_blocked: 0, in_progress: 0 } },
    })
    expect(await sends[channel]()).toMatchObject(refused)
    expect(started).toEqual([])
    expect(await balance()).toBe(10)
    for (const other of channels.filter((it) => it !== channel))
      expect((await sends[other]()).status, other).toBeLessThan(300)
    expect(await unblock(channel)).toMatchObject({ status: 200, body: { data: { unblocked: 1 } } })
    expect((await sends[channel]()).status).toBeLessThan(300)
  })

  test('gets no text within the 24-hour window, and no automatic reply', async () => {
    const { block, sender, ask, write, by, listed } = await operator()
    await write('Hello')
    await platform.minutes(0)
    expect(started).toEqual([requestStarts.messaging])
    await block('messaging', { reason: 'Asked by phone', source: 'operator' })
    const text = { sender_id: sender.id, recipient_phone: phone, message: 'Hi' }
    expect(await ask('POST', 'messaging/send-freeform', text)).toMatchObject(refused)
    await write('Are you there?')
    await platform.minutes(1)
    expect(started).toEqual([requestStarts.messaging])
    expect((await platform.events(by)).at(-1)).not.toMatchObject({ kind: 'message.sent' })
    expect(await listed()).toMatchObject([
      { phone_number: phone, channel: 'messaging', reason: 'Asked by phone', source: 'operator' },
    ])
  })

  test('is blocked on every channel with "all", once, and is unblocked on one of them', async () => {
    const { block, unblock, listed } = await operator()
    expect((await block('all')).body.data).toMatchObject({ blocked: 3, already_blocked: 0 })
    expect((await block('sms', { reason: 'Again' })).body.data).toMatchObject({ blocked: 0, already_blocked: 1 })
    expect((await unblock('sms')).body.data).toEqual({ unblocked: 1 })
    expect((await listed()).map((it: { channel: string }) => it.channel)).toEqual(['call', 'messaging'])
    expect((await unblock('all')).body.data).toEqual({ unblocked: 2 })
    expect((await unblock('all')).body.data).toEqual({ unblocked: 0 })
  })

  test('belongs to one account', async () => {
    const [one, other] = [await operator(), await operator()]
    await one.block('all')
    expect(await other.listed()).toEqual([])
    expect((await other.sends.sms()).status).toBe(201)
    expect((await other.unblock('all')).body.data).toEqual({ unblocked: 0 })
    expect(await one.listed()).toHaveLength(3)
  })

  test('is found by channel, by the beginning of the number, and among numbers', async () => {
    const { block, listed, ask } = await operator()
    await block('sms', {}, '+14155550101')
    await block('call', {}, '+14155550102')
    await block('sms', {}, '+442079460172')
    const numbersOf = async (query: string) =>
      (await listed(query)).map((it: { phone_number: string }) => it.phone_number)
    expect(await numbersOf('?channel=sms')).toEqual(['+14155550101', '+442079460172'])
    expect(await numbersOf('?phone_number=%2B1415')).toEqual(['+14155550101', '+14155550102'])
    expect(await numbersOf('?phone_numbers=%2B442079460172,%2B14155550102,%2B1')).toEqual([
      '+14155550102',
      '+442079460172',
    ])
    expect((await ask('GET', 'blocked-contacts?per_page=2')).body).toMatchObject({ total: 3, last_page: 2 })
  })

  test.each([
    ['0171 234', 'sms'],
    ['+14155550143', 'fax'],
  ])('%s on the channel %s is refused, and nothing is blocked', async (phone_number, channel) => {
    const { ask, listed } = await operator()
    const contacts = [
      { phone_number: phone, channel: 'sms' },
      { phone_number, channel },
    ]
    expect(await ask('POST', 'blocked-contacts', { contacts })).toMatchObject({
      status: 422,
      body: {
        errors: { [phone_number === phone ? 'contacts.1.channel' : 'contacts.1.phone_number']: [expect.any(String)] },
      },
    })
    expect(await listed()).toEqual([])
  })

  test.each(channels)('gets nothing over %s that was stored before, after a lost request', async (channel) => {
    const { block, sends, balance, skipped } = await operator()
    during = async () => {
      throw new Error('The line is dead.')
    }
    expect(await sends[channel]()).toMatchObject({ status: 500 })
    expect(started).toEqual([requestStarts[channel]])
    await block(channel, { reason: 'Asked by phone' })
    for (let i = 0; i < 5; i++) await platform.minutes(10)
    expect(started).toEqual([requestStarts[channel]])
    expect(await balance()).toBe(10)
    expect(await skipped()).toMatchObject([{ payload: { phone_number: phone, channel, reason: 'Asked by phone' } }])
  })

  test.each(channels)(
    'is answered only after a request over %s that had been handed over has ended',
    async (channel) => {
      const { by, block, sends } = await operator()
      let blocking: Promise<{ body: object }> | undefined
      let isBlocked = false
      let isBlockedDuringRequest: boolean | undefined
      during = async () => {
        blocking = block(channel).then((answer) => {
          isBlocked = true
          return answer
        })
        // The block is stored while the request is in progress.
        while (!isBlocked && (await platform.events(by)).every((it) => it.kind !== 'contact.blocked'))
          await yieldToEventLoop()
        isBlockedDuringRequest = isBlocked
      }
      expect((await sends[channel]()).status).toBeLessThan(300)
      expect(isBlockedDuringRequest).toBe(false)
      expect((await blocking)?.body).toMatchObject({ data: { blocked: 1, in_progress: 1 } })
      expect(await sends[channel]()).toMatchObject(refused)
    },
  )

  test.each(channels)(
    'is answered only after a second process may not start a request over %s, although the first has an outcome',
    async (channel) => {
      const { by, block, listed, sends } = await operator()
      const { tables, time } = platform
      const table = ({ messaging: 'channel_message', sms: 'sms_message', call: 'phone_call' } as const)[channel]
      const send = async () => {
        const newest = tables()
          .read.selectFrom(table)
          .select('id')
          .where('account_id', '=', by.id)
          .orderBy('id', 'desc')
        return { channel, ...(await newest.executeTakeFirstOrThrow()) }
      }
      // A process that takes the send over, because the first one was slow.
      during = async () => {
        const taken = await send()
        await tables().write({ account: by.id }, (query) => markHandedOver(query, taken, time.ms))
      }
      expect((await sends[channel]()).status).toBeLessThan(300)
      let isBlocked = false
      const blocking = block(channel).then((answer) => {
        isBlocked = true
        return answer
      })
      while ((await platform.events(by)).every((it) => it.kind !== 'contact.blocked')) await yieldToEventLoop()
      for (let n = 0; n < 3; n++) await listed()
      expect(isBlocked).toBe(false)
      const taken = await send()
      await tables().write({ account: by.id }, (query) => releaseHandOver(query, taken))
      expect((await blocking).body).toMatchObject({ data: { blocked: 1, in_progress: 1 } })
    },
  )

  test.each(['sms', 'call'] as const)('is skipped by a campaign over %s, which reaches the others', async (channel) => {
    const { by, ask, number, skipped } = await operator()
    const lead = async (campaign_id: number, phone_number: string) => ask('POST', 'lead', { campaign_id, phone_number })
    const { body } = await ask('POST', 'campaign', {
      name: 'Recall',
      timezone: 'UTC',
      channel,
      ...(channel === 'sms'
        ? { sms_from_phone_number_id: number, sms_body: 'Hello' }
        : { assistant_id: by.assistant, phone_number_ids: [number], max_calls_in_parallel: 1 }),
    })
    const others = ['+14155550150', '+14155550151']
    const blocked = Array.from({ length: 7 }, (_, n) => `+1415555016${n}`)
    await ask('POST', 'blocked-contacts', {
      contacts: blocked.map((phone_number) => ({ phone_number, channel, reason: 'Asked by phone' })),
    })
    for (const each of [...blocked.slice(0, 4), ...others, ...blocked.slice(4)]) await lead(body.data.id, each)
    await ask('POST', 'campaigns/update-status', { campaign_id: body.data.id, action: 'start' })
    for (let i = 0; i < 30; i++) await platform.minutes(1)
    const rows = (await platform.get(by, 'leads?per_page=100')).data as { phone_number: string; status: string }[]
    const statusOf = (some: readonly string[]) =>
      rows.filter((it) => some.includes(it.phone_number)).map((it) => it.status)
    expect(statusOf(blocked)).toEqual(blocked.map(() => 'blacklisted'))
    expect(statusOf(others)).toEqual(others.map(() => 'completed'))
    expect(started).toEqual(others.map(() => requestStarts[channel]))
    expect((await skipped()).map((it) => it.payload)).toMatchObject(
      blocked.map((phone_number) => ({ phone_number, channel, reason: 'Asked by phone' })),
    )
    expect((await platform.get(by, `campaign/${body.data.id}`)).data.status).toBe('completed')
  })
})
