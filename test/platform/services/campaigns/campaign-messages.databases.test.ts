import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'

/** A number that is never answered, and one no SMS reaches. */
const [silent, refused] = ['+15005550301', '+15005550200']

describe.each(databases)('messages of campaigns on $name', (database) => {
  const platform = simulationPlatform(database)
  type Owner = Awaited<ReturnType<typeof platform.owner>>

  async function owner(): Promise<Owner & { readonly number: number }> {
    const by = await platform.owner()
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 10 })
    const { body } = await platform.api().ask('GET', '/api/user/phone-numbers/search?country_code=US', { key: by.key })
    const { phone_number } = body.data.find((one: { sms_capable: boolean }) => one.sms_capable)
    expect((await platform.api().buy(phone_number, by)).status).toBe(201)
    const [{ id }] = (await platform.get(by, 'phone-numbers/all')).data
    return { ...by, number: id }
  }
  const make = async (by: Owner, more: object): Promise<number> => {
    const made = await platform
      .api()
      .ask('POST', '/api/user/campaign', { key: by.key, body: { name: 'Recall', timezone: 'UTC', ...more } })
    expect(made.status, made.text).toBe(201)
    return made.body.data.id
  }
  const lead = async (by: Owner, campaign: number, phone: string, more: object = {}): Promise<number> =>
    (
      await platform
        .api()
        .ask('POST', '/api/user/lead', { key: by.key, body: { campaign_id: campaign, phone_number: phone, ...more } })
    ).body.data.id
  const start = (by: Owner, campaign: number) =>
    platform.api().ask('POST', '/api/user/campaigns/update-status', {
      key: by.key,
      body: { campaign_id: campaign, action: 'start' },
    })
  const pass = async (n: number): Promise<void> => {
    for (let i = 0; i < n; i++) await platform.minutes(1)
  }
  const sent = (by: Owner) =>
    platform
      .tables()
      .read.selectFrom('sms_message')
      .select(['recipient', 'body', 'state'])
      .where('account_id', '=', by.id)
      .orderBy('id')
      .execute()
  const written = (by: Owner) =>
    platform
      .tables()
      .read.selectFrom('channel_message')
      .select(['conversation_id', 'body'])
      .where('account_id', '=', by.id)
      .execute()
  const statuses = async (by: Owner): Promise<string[]> =>
    (await platform.get(by, 'leads?per_page=100')).data.map((one: { status: string }) => one.status).sort()

  test('by SMS are sent to every lead once, with its variables; an unreachable lead is retried up to the limit', async () => {
    const by = await owner()
    const campaign = await make(by, {
      channel: 'sms',
      sms_from_phone_number_id: by.number,
      sms_body: 'Hello {{first_name}}!',
      max_retries: 2,
      retry_interval: 10,
    })
    for (const [n, first_name] of ['Anna', 'Ben', 'Clara'].entries())
      await lead(by, campaign, `+1415555016${n}`, { variables: { first_name } })
    await start(by, campaign)
    await platform.minutes(0)
    expect(await sent(by)).toMatchObject([
      { recipient: '+14155550160', body: 'Hello Anna!', state: 'sent' },
      { recipient: '+14155550161', body: 'Hello Ben!', state: 'sent' },
      { recipient: '+14155550162', body: 'Hello Clara!', state: 'sent' },
    ])
    const other = await make(by, {
      channel: 'sms',
      sms_from_phone_number_id: by.number,
      sms_body: 'Hi',
      max_retries: 2,
      retry_interval: 10,
    })
    await lead(by, other, refused)
    await start(by, other)
    await pass(25)
    expect(await statuses(by)).toEqual(['completed', 'completed', 'completed', 'reached-max-retries'])
    expect((await sent(by)).filter((one) => one.recipient === refused).map((one) => one.state)).toEqual([
      'failed',
      'failed',
    ])
    // What was not sent is not paid.
    expect((await platform.get(by, 'me')).total_balance).toBeCloseTo(10 - 3 * 0.01)
  })

  const attempts = (by: Owner) =>
    platform
      .tables()
      .read.selectFrom('lead')
      .select(['status', 'attempts'])
      .where('account_id', '=', by.id)
      .orderBy('id')
      .execute()
  const waiting = { status: 'created', attempts: 0 }
  const reached = { status: 'completed', attempts: 1 }
  const campaignStatus = async (by: Owner, id: number) => (await platform.get(by, `campaign/${id}`)).data.status

  test('by SMS pause when the balance is exhausted, and count no attempt for leads that got none', async () => {
    const by = await owner()
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 0.01 })
    const sms = { channel: 'sms', sms_from_phone_number_id: by.number, sms_body: 'Hello!' }
    const campaign = await make(by, { ...sms, max_retries: 1 })
    for (const n of [0, 1, 2]) await lead(by, campaign, `+1415555016${n}`)
    await start(by, campaign)
    await pass(10)
    expect(await attempts(by)).toEqual([reached, waiting, waiting])
    expect(await campaignStatus(by, campaign)).toBe('paused')
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 1 })
    await start(by, campaign)
    await pass(3)
    expect(await statuses(by)).toEqual(['completed', 'completed', 'completed'])
    expect(await campaignStatus(by, campaign)).toBe('completed')
    expect(await sent(by)).toHaveLength(3)
  })

  test.each([
    ['is offline', { status: 'offline' as const }, 0],
    ['has reached its limit of recipients', { messaging_limit: 1 }, 1],
  ])('by template pause when the sender %s, and continue when they are started again', async (_, change, first) => {
    const by = await owner()
    const sender = await platform.sender(by)
    const set = (values: object) =>
      platform
        .tables()
        .write('everything', (query) => query.updateTable('sender').set(values).where('id', '=', sender.id).execute())
    const ids = { messaging_sender_id: sender.id, messaging_template_id: sender.template }
    const campaign = await make(by, { channel: 'messaging', ...ids, max_retries: 1 })
    for (const n of [0, 1]) await lead(by, campaign, `+1415555016${n}`)
    await set(change)
    await start(by, campaign)
    await pass(10)
    expect(await written(by)).toHaveLength(first)
    expect(await attempts(by)).toEqual([first === 1 ? reached : waiting, waiting])
    expect(await campaignStatus(by, campaign)).toBe('paused')
    await set({ status: 'online', messaging_limit: null })
    await start(by, campaign)
    await pass(3)
    expect(await written(by)).toHaveLength(2)
    expect(await campaignStatus(by, campaign)).toBe('completed')
  })

  test('by SMS replace unanswered calls once, and are not sent to leads who answered', async () => {
    const by = await owner()
    const fallback = {
      fallback_channel: 'sms',
      fallback_sms_from_phone_number_id: by.number,
      fallback_sms_body: 'Call us, {{first_name}}.',
    }
    const campaign = await make(by, { assistant_id: by.assistant, max_retries: 1, ...fallback })
    await lead(by, campaign, silent, { variables: { first_name: 'Anna' } })
    await lead(by, campaign, '+14155550142', { variables: { first_name: 'Ben' } })
    await start(by, campaign)
    await pass(6)
    expect(await statuses(by)).toEqual(['completed', 'reached-max-retries'])
    expect(await sent(by)).toEqual([{ recipient: silent, body: 'Call us, Anna.', state: 'sent' }])
    const rows = await platform
      .tables()
      .read.selectFrom('lead')
      .selectAll()
      .where('campaign_id', '=', campaign)
      .execute()
    const sentAt = Object.fromEntries(rows.map((row) => [row.phone_number, row.fallback_sent_at]))
    expect(sentAt).toEqual({ [silent]: expect.any(Number), '+14155550142': null })
    await pass(60)
    expect(await sent(by)).toHaveLength(1)
  })

  test('by SMS that replace calls are sent later when the number cannot send at the time', async () => {
    const by = await owner()
    const fallback = { fallback_channel: 'sms', fallback_sms_from_phone_number_id: by.number, fallback_sms_body: 'Hi.' }
    const campaign = await make(by, { assistant_id: by.assistant, max_retries: 1, ...fallback })
    await lead(by, campaign, silent)
    await start(by, campaign)
    await platform.minutes(0)
    await platform
      .tables()
      .write('everything', (query) =>
        query.updateTable('phone_number').set({ sms_capable: 0 }).where('id', '=', by.number).execute(),
      )
    await pass(6)
    expect(await sent(by)).toEqual([])
    await platform
      .tables()
      .write('everything', (query) =>
        query.updateTable('phone_number').set({ sms_capable: 1 }).where('id', '=', by.number).execute(),
      )
    await pass(70)
    expect(await sent(by)).toEqual([{ recipient: silent, body: 'Hi.', state: 'sent' }])
  })

  test('by template replace calls after the last attempt', async () => {
    const by = await owner()
    const sender = await platform.sender(by)
    const ids = { fallback_messaging_sender_id: sender.id, fallback_messaging_template_id: sender.template }
    const campaign = await make(by, {
      assistant_id: by.assistant,
      max_retries: 2,
      retry_interval: 30,
      fallback_channel: 'messaging',
      ...ids,
    })
    await lead(by, campaign, silent)
    await start(by, campaign)
    await pass(10)
    expect(await written(by)).toEqual([])
    await pass(35)
    expect(await written(by)).toMatchObject([{ body: 'Hello.' }])
    expect(await statuses(by)).toEqual(['reached-max-retries'])
  })

  test('are not sent to secondary contacts, for which the specification has no rule', async () => {
    const by = await owner()
    const campaign = await make(by, { assistant_id: by.assistant, max_retries: 1 })
    await lead(by, campaign, silent, { secondary_contacts: [{ phone_number: '+14155550199' }] })
    await start(by, campaign)
    await pass(6)
    const calls = (await platform.get(by, 'calls')).data
    expect(calls.map((one: { client_phone_number: string }) => one.client_phone_number)).toEqual([silent])
    expect((await platform.get(by, 'leads')).data[0].secondary_contacts).toMatchObject([
      { phone_number: '+14155550199', status: 'created' },
    ])
  })
})
