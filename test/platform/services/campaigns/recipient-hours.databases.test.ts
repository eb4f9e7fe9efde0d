import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'

const berlin = '+493012345678'
const tokyo = '+81312345678'

describe.each(databases)('a campaign in the time zone of each recipient on $name', (database) => {
  const platform = simulationPlatform(database)
  type Owner = Awaited<ReturnType<typeof platform.owner>>
  const ask = (by: Owner, method: 'POST' | 'PUT', path: string, body: object) =>
    platform.api().ask(method, `/api/user/${path}`, { key: by.key, body })
  /** Returns the time of day in a zone, some hours from now. */
  const timeIn = (timeZone: string, hours: number): string =>
    new Date(platform.time.ms + hours * 3_600_000).toLocaleTimeString('sv-SE', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
    })
  /** Hours that are open now in a zone, and for the next hour. */
  const openNowIn = (zone: string) => [{ start: timeIn(zone, -1), end: timeIn(zone, 1) }]
  const make = async (by: Owner, more: object = {}): Promise<number> => {
    const settings = { window_timezone: 'recipient', schedule_windows: openNowIn('Europe/Berlin'), ...more }
    return (await ask(by, 'POST', 'campaign', { name: 'Recall', assistant_id: by.assistant, ...settings })).body.data.id
  }
  const lead = async (by: Owner, campaign: number, phone: string, variables: object = {}): Promise<number> =>
    (await ask(by, 'POST', 'lead', { campaign_id: campaign, phone_number: phone, variables })).body.data.id
  const turn = (by: Owner, campaign: number, action = 'start') =>
    ask(by, 'POST', 'campaigns/update-status', { campaign_id: campaign, action })
  const leadOf = async (by: Owner, id: number) =>
    (await platform.get(by, 'leads?per_page=100')).data.find((it: { id: number }) => it.id === id)
  const called = async (by: Owner): Promise<string[]> =>
    (await platform.get(by, 'calls')).data.map((it: { client_phone_number: string }) => it.client_phone_number)
  const pass = async (n: number): Promise<void> => {
    for (let i = 0; i < n; i++) await platform.minutes(1)
  }

  test('shows no next opening for a lead that is not contacted any more', async () => {
    const by = await platform.owner()
    const id = await lead(by, await make(by), tokyo)
    const opening = async () => (await leadOf(by, id)).contact_hours.opens_at
    expect(await opening()).toEqual(expect.any(String))
    await ask(by, 'PUT', `leads/${id}`, { status: 'completed' })
    expect(await opening()).toBe(null)
    await ask(by, 'PUT', `leads/${id}`, { status: 'created' })
    expect(await opening()).toEqual(expect.any(String))
  })

  test('calls a lead where it is open; another one waits, shows until when, and is called then', async () => {
    const by = await platform.owner()
    const campaign = await make(by)
    const [here, there] = [await lead(by, campaign, berlin), await lead(by, campaign, tokyo)]
    await turn(by, campaign)
    await pass(3)
    expect(await called(by)).toEqual([berlin])
    expect((await leadOf(by, here)).contact_hours).toEqual({
      timezones: ['Europe/Berlin'],
      timezone_source: 'number',
      invalid_timezone: null,
      state: 'open',
      opens_at: null,
    })
    const waiting = await leadOf(by, there)
    expect(waiting).toMatchObject({
      status: 'created',
      contact_hours: { timezones: ['Asia/Tokyo'], timezone_source: 'number', state: 'closed' },
    })
    const opensAt = Date.parse(`${waiting.contact_hours.opens_at.replace(' ', 'T')}Z`)
    await platform.wait(opensAt - platform.time.ms - 60_000)
    expect(await called(by)).toEqual([berlin])
    await pass(5)
    expect(await called(by)).toEqual([tokyo, berlin])
    expect((await leadOf(by, there)).status).toBe('completed')
    expect((await platform.get(by, `campaign/${campaign}`)).data.status).toBe('completed')
  })

  test('takes the zone of a variable before that of the number, and names a value that no zone has', async () => {
    const by = await platform.owner()
    const campaign = await make(by, { timezone_variable: 'zone' })
    const moved = await lead(by, campaign, tokyo, { zone: 'Europe/Berlin' })
    const wrong = await lead(by, campaign, '+81312345679', { zone: 'Berlin' })
    await turn(by, campaign)
    await pass(3)
    expect(await called(by)).toEqual([tokyo])
    expect((await leadOf(by, moved)).contact_hours).toMatchObject({
      timezones: ['Europe/Berlin'],
      timezone_source: 'variable',
    })
    expect(await leadOf(by, wrong)).toMatchObject({
      status: 'created',
      contact_hours: { timezones: ['Asia/Tokyo'], timezone_source: 'number', invalid_timezone: 'Berlin' },
    })
  })

  test('calls a waiting lead at once when its variable is corrected', async () => {
    const by = await platform.owner()
    const campaign = await make(by, { timezone_variable: 'zone' })
    const id = await lead(by, campaign, tokyo)
    await turn(by, campaign)
    await pass(1)
    expect(await called(by)).toEqual([])
    await ask(by, 'PUT', `leads/${id}`, { variables: { zone: 'Europe/Berlin' } })
    await pass(3)
    expect(await called(by)).toEqual([tokyo])
  })

  test('takes its own zone for a number that tells none', async () => {
    const by = await platform.owner()
    const campaign = await make(by, { timezone: 'Europe/Berlin' })
    const id = await lead(by, campaign, '+80012345678')
    expect((await leadOf(by, id)).contact_hours).toMatchObject({
      timezones: ['Europe/Berlin'],
      timezone_source: 'campaign',
      state: 'open',
    })
  })

  test('does not call on a holiday of the recipient', async () => {
    const by = await platform.owner()
    const dates = [0, 24].map((hours) =>
      new Date(platform.time.ms + hours * 3_600_000).toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' }),
    )
    const campaign = await make(by, { holidays: dates })
    await lead(by, campaign, berlin)
    await turn(by, campaign)
    await pass(3)
    expect(await called(by)).toEqual([])
  })

  test('keeps a lead waiting whose time zones have no common hour, and says so', async () => {
    const by = await platform.owner()
    const campaign = await make(by)
    const id = await lead(by, campaign, '+18005550123')
    await turn(by, campaign)
    await pass(3)
    expect(await leadOf(by, id)).toMatchObject({
      status: 'created',
      contact_hours: { state: 'no-common-hour', opens_at: null },
    })
    expect((await platform.get(by, `campaign/${campaign}`)).data.status).toBe('in-progress')
    expect(await called(by)).toEqual([])
  })

  test('finds an open lead behind a thousand that wait', async () => {
    const by = await platform.owner()
    const campaign = await make(by, { max_calls_in_parallel: 1 })
    const leads = Array.from({ length: 1000 }, (_, n) => ({ phone_number: `+8131234${String(n).padStart(4, '0')}` }))
    await ask(by, 'POST', 'lead-batches', { campaign_id: campaign, leads })
    await lead(by, campaign, berlin)
    await turn(by, campaign)
    await pass(1)
    expect(await called(by)).toEqual([berlin])
  })

  test('calls a waiting lead in its new hours after they were changed', async () => {
    const by = await platform.owner()
    const campaign = await make(by)
    await lead(by, campaign, tokyo)
    await turn(by, campaign)
    await pass(1)
    await turn(by, campaign, 'stop')
    const changed = await ask(by, 'PUT', `campaign/${campaign}`, { schedule_windows: openNowIn('Asia/Tokyo') })
    expect(changed.status).toBe(200)
    await pass(1)
    expect(await called(by)).toEqual([])
    await turn(by, campaign)
    await pass(3)
    expect(await called(by)).toEqual([tokyo])
  })

  test('sends messages only where it is open', async () => {
    const by = await platform.owner()
    const sender = await platform.sender(by)
    const campaign = await make(by, {
      channel: 'messaging',
      assistant_id: undefined,
      messaging_sender_id: sender.id,
      messaging_template_id: sender.template,
    })
    await lead(by, campaign, tokyo)
    await lead(by, campaign, berlin)
    await turn(by, campaign)
    await pass(3)
    const sent = await platform
      .tables()
      .read.selectFrom('channel_message')
      .select('recipient_phone')
      .where('account_id', '=', by.id)
      .execute()
    expect(sent.map((it) => it.recipient_phone)).toEqual([berlin])
  })

  test('sends the message after a call without answer when the hours of the recipient open again', async () => {
    const by = await platform.owner()
    const sender = await platform.sender(by)
    const campaign = await make(by, {
      // The hours close with the minute in which the call is made.
      schedule_windows: [{ start: timeIn('America/New_York', -1), end: timeIn('America/New_York', 1 / 60) }],
      timezone_variable: 'zone',
      max_retries: 1,
      fallback_channel: 'messaging',
      fallback_messaging_sender_id: sender.id,
      fallback_messaging_template_id: sender.template,
    })
    const id = await lead(by, campaign, '+15005550301', { zone: 'America/New_York' })
    await turn(by, campaign)
    await platform.minutes(0)
    await pass(5)
    expect((await leadOf(by, id)).contact_hours.state).toBe('closed')
    expect(await leadOf(by, id)).toMatchObject({ status: 'reached-max-retries', fallback_sent_at: null })
    await platform.wait(23 * 3_600_000)
    expect((await leadOf(by, id)).fallback_sent_at).not.toBeNull()
  })
})

describe.each(databases)('the hours of an account on $name', (database) => {
  const platform = simulationPlatform(database)
  type Owner = Awaited<ReturnType<typeof platform.owner>>
  const ask = (by: Owner, method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
    platform.api().ask(method, `/api/user/${path}`, { key: by.key, ...(body && { body }) })
  /** Starts a campaign with a lead in Berlin and one in Tokyo. Its own hours are always open. */
  async function started(more: object = {}) {
    const by = await platform.owner()
    const body = { name: 'Recall', assistant_id: by.assistant, ...more }
    const campaign = (await ask(by, 'POST', 'campaign', body)).body.data.id
    for (const phone_number of [berlin, tokyo])
      await ask(by, 'POST', 'lead', { campaign_id: campaign, phone_number, variables: { zone: 'Asia/Tokyo' } })
    return { by, start: () => ask(by, 'POST', 'campaigns/update-status', { campaign_id: campaign, action: 'start' }) }
  }
  const called = async (by: Owner): Promise<string[]> =>
    (await platform.get(by, 'calls')).data.map((it: { client_phone_number: string }) => it.client_phone_number)
  const berlinTime = (hours: number): string =>
    new Date(platform.time.ms + hours * 3_600_000).toLocaleTimeString('sv-SE', {
      timeZone: 'Europe/Berlin',
      hour: '2-digit',
      minute: '2-digit',
    })
  const openInBerlin = () => ({ schedule_windows: [{ start: berlinTime(-1), end: berlinTime(1) }] })
  const pass = async (n: number): Promise<void> => {
    for (let i = 0; i < n; i++) await platform.minutes(1)
  }

  test('are none before somebody sets them', async () => {
    const { by, start } = await started()
    const none = { schedule_windows: null, allowed_days: null, holidays: null, timezone: null }
    expect((await ask(by, 'GET', 'contact-hours')).body.data).toEqual(none)
    await start()
    await pass(3)
    expect(await called(by)).toHaveLength(2)
  })

  test('hold a lead of every campaign in the time zone of the lead, until they are changed', async () => {
    const { by, start } = await started()
    const saved = await ask(by, 'PUT', 'contact-hours', openInBerlin())
    expect(saved.body.data).toEqual({ ...openInBerlin(), allowed_days: null, holidays: null, timezone: null })
    await start()
    await pass(3)
    expect(await called(by)).toEqual([berlin])
    const { data } = await platform.get(by, 'leads')
    expect(data[0].contact_hours).toMatchObject({ timezones: ['Asia/Tokyo'], state: 'closed' })
    expect(data[1].contact_hours).toMatchObject({ timezones: ['Europe/Berlin'], state: 'open' })
    await ask(by, 'PUT', 'contact-hours', { schedule_windows: null })
    await pass(3)
    expect(await called(by)).toEqual([tokyo, berlin])
    expect((await platform.get(by, 'leads')).data[0]).not.toHaveProperty('contact_hours')
  })

  test('count besides those of the campaign, and take the zone of its variable', async () => {
    const { by, start } = await started({ timezone_variable: 'zone' })
    await ask(by, 'PUT', 'contact-hours', openInBerlin())
    await start()
    await pass(3)
    expect(await called(by)).toEqual([])
  })
})

describe.each(databases)('a campaign in its own time zone on $name', (database) => {
  const platform = simulationPlatform(database)

  test('returns neither settings nor hours of recipients', async () => {
    const by = await platform.owner()
    const body = { name: 'Recall', assistant_id: by.assistant }
    const { data: campaign } = (await platform.api().ask('POST', '/api/user/campaign', { key: by.key, body })).body
    for (const name of ['window_timezone', 'timezone_variable', 'holidays']) expect(campaign).not.toHaveProperty(name)
    await platform.api().ask('POST', '/api/user/lead', {
      key: by.key,
      body: { campaign_id: campaign.id, phone_number: berlin },
    })
    expect((await platform.get(by, 'leads')).data[0]).not.toHaveProperty('contact_hours')
  })
})
