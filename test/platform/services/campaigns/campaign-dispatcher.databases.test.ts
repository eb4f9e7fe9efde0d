import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'
import { webhookReceiver } from '../../../support/platform/webhook-receiver.ts'

describe.each(databases)('a running campaign on $name', (database) => {
  const platform = simulationPlatform(database)
  type Owner = Awaited<ReturnType<typeof platform.owner>>
  const make = async (by: Owner, more: object = {}) =>
    (
      await platform.api().ask('POST', '/api/user/campaign', {
        key: by.key,
        body: { name: 'Recall', assistant_id: by.assistant, timezone: 'UTC', ...more },
      })
    ).body.data.id as number
  const lead = async (by: Owner, campaign: number, phone: string, variables: object = {}) =>
    (
      await platform
        .api()
        .ask('POST', '/api/user/lead', { key: by.key, body: { campaign_id: campaign, phone_number: phone, variables } })
    ).body.data.id as number
  const turn = (by: Owner, campaign: number, action = 'start') =>
    platform
      .api()
      .ask('POST', '/api/user/campaigns/update-status', { key: by.key, body: { campaign_id: campaign, action } })
  const statusOf = async (by: Owner, campaign: number) => (await platform.get(by, `campaign/${campaign}`)).data.status
  const leads = async (by: Owner) => (await platform.get(by, 'leads?per_page=100')).data
  const leadStatus = async (by: Owner, id: number) =>
    (await leads(by)).find((one: { id: number }) => one.id === id)?.status
  const calls = async (by: Owner) => (await platform.get(by, 'calls')).data
  /** Minutes pass one by one, so that what follows from what is done in them too. */
  const pass = async (n: number): Promise<void> => {
    for (let i = 0; i < n; i++) await platform.minutes(1)
  }

  test('calls its leads and updates their status; the webhook gets the lead', async () => {
    const { url, received } = await webhookReceiver()
    const by = await platform.owner({
      post_call_schema: [{ name: 'booked', type: 'bool', description: 'Whether they booked' }],
    })
    await platform.enable(by, 'post-call', url)
    const campaign = await make(by)
    const id = await lead(by, campaign, '+14155550142', { first_name: 'Clara' })
    await platform.simulate(by, 'call', {
      direction: 'lead',
      phone_number: '+14155550142',
      turns: [{ customer: 'Yes, book me in.' }],
    })
    expect((await turn(by, campaign)).body.data.status).toBe('in-progress')
    await platform.minutes(0)
    expect(await leadStatus(by, id)).toBe('processing')
    await pass(3)
    expect(await leadStatus(by, id)).toBe('completed')
    expect(await statusOf(by, campaign)).toBe('completed')
    expect(received).toHaveLength(1)
    expect(received[0]?.body).toMatchObject({
      customer_phone: '+14155550142',
      extracted_variables: { booked: true },
      formatted_transcript: expect.stringMatching(/^AI: Hello Clara/),
      lead: {
        id,
        phone_number: '+14155550142',
        variables: { first_name: 'Clara' },
        status: 'completed',
        call_tries: 1,
        campaign: { id: campaign, name: 'Recall', max_retries: 3, retry_interval: 60 },
      },
    })
    expect((await calls(by))[0]).toMatchObject({ campaign_name: 'Recall', type: 'outbound' })
  })

  test('retries leads who do not answer after its interval, up to its limit', async () => {
    const by = await platform.owner()
    const campaign = await make(by, { max_retries: 2, retry_interval: 10 })
    const id = await lead(by, campaign, '+15005550301')
    await turn(by, campaign)
    await pass(3)
    expect(await leadStatus(by, id)).toBe('rescheduled')
    expect(await calls(by)).toHaveLength(1)
    await pass(15)
    expect(await calls(by)).toHaveLength(2)
    expect(await leadStatus(by, id)).toBe('reached-max-retries')
    expect(await statusOf(by, campaign)).toBe('completed')
  })

  test.each([
    [{ retry_on_voicemail: true }, { answered_by: 'machine' }],
    [
      { retry_on_goal_incomplete: true, goal_completion_variable: 'status' },
      { extracted_variables: { status: false } },
    ],
  ])('retries a call if %j requests it', async (settings, script) => {
    const by = await platform.owner()
    const campaign = await make(by, { ...settings, retry_interval: 10 })
    const id = await lead(by, campaign, '+14155550144')
    await platform.simulate(by, 'call', { direction: 'lead', phone_number: '+14155550144', ...script })
    await turn(by, campaign)
    await pass(3)
    expect(await leadStatus(by, id)).toBe('rescheduled')
    await pass(15)
    expect(await leadStatus(by, id)).toBe('completed')
  })

  test('respects its limit of concurrent calls, and its hours', async () => {
    const by = await platform.owner()
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 100 })
    const at = new Date(platform.time.ms)
    const hour = (n: number): string => `${String((at.getUTCHours() + n) % 24).padStart(2, '0')}:00`
    const campaign = await make(by, { max_calls_in_parallel: 2, schedule_windows: [{ start: hour(2), end: hour(3) }] })
    for (let n = 0; n < 5; n++) await lead(by, campaign, `+1415555016${n}`)
    await turn(by, campaign)
    await pass(2)
    expect(await calls(by)).toHaveLength(0)
    await platform.api().control('POST', '/control/clock/freeze', { at: new Date(platform.time.ms).toISOString() })
    const { body } = await platform.api().control('POST', '/control/clock/advance', { by: '2h' })
    expect(body.done.some((one: { kind: string }) => one.kind === 'campaign.turn')).toBe(true)
    expect(await calls(by)).toHaveLength(5)
    const spans = (await calls(by)).map((one: { created_at: string; updated_at: string }) => [
      one.created_at,
      one.updated_at,
    ])
    for (const [from] of spans)
      expect(spans.filter(([a, b]: [string, string]) => a <= from && from < b).length).toBeLessThanOrEqual(2)
    await platform.api().control('POST', '/control/clock/resume')
  })

  test('pauses when the balance is too low, and resumes when it is started again', async () => {
    const by = await platform.owner()
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 0.1 })
    const campaign = await make(by, { max_calls_in_parallel: 1 })
    for (const n of [1, 2]) await lead(by, campaign, `+1500555030${n}`)
    await turn(by, campaign)
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 0.05 })
    await pass(3)
    expect(await statusOf(by, campaign)).toBe('paused')
    expect((await leads(by)).map((one: { status: string }) => one.status)).toEqual(['created', 'created'])
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 5 })
    await turn(by, campaign)
    await pass(6)
    expect(await calls(by)).toHaveLength(2)
  })

  /** A campaign that makes one call at a time, during the call to the first of its two leads. */
  async function duringCall() {
    const by = await platform.owner()
    const campaign = await make(by, { max_calls_in_parallel: 1, max_retries: 1 })
    const [first, second] = [await lead(by, campaign, '+14155550142'), await lead(by, campaign, '+14155550144')]
    await turn(by, campaign)
    await platform.minutes(0)
    expect([await leadStatus(by, first), await leadStatus(by, second)]).toEqual(['processing', 'created'])
    return { by, campaign, first, second }
  }

  test('continues with the next lead after the call to a lead that was deleted', async () => {
    const { by, campaign, first, second } = await duringCall()
    expect((await platform.api().ask('DELETE', `/api/user/leads/${first}`, by)).status).toBe(200)
    await pass(10)
    expect(await leadStatus(by, second)).toBe('completed')
    expect(await statusOf(by, campaign)).toBe('completed')
  })

  test('continues with the next lead after the call to a lead that was moved to another campaign', async () => {
    const { by, campaign, first, second } = await duringCall()
    const other = await make(by)
    const body = { campaign_id: other }
    expect((await platform.api().ask('PUT', `/api/user/leads/${first}`, { key: by.key, body })).status).toBe(200)
    await pass(10)
    expect(await leadStatus(by, second)).toBe('completed')
    expect(await statusOf(by, campaign)).toBe('completed')
    expect(await leadStatus(by, first)).toBe('completed')
  })

  test('calls a lead that is moved to it', async () => {
    const by = await platform.owner()
    const campaign = await make(by, { mark_complete_when_no_leads: false })
    await turn(by, campaign)
    await pass(1)
    const id = await lead(by, await make(by), '+14155550142')
    await platform.api().ask('PUT', `/api/user/leads/${id}`, { key: by.key, body: { campaign_id: campaign } })
    await pass(10)
    expect(await leadStatus(by, id)).toBe('completed')
  })

  test('hangs up and settles a call that is deleted, and continues', async () => {
    const { by, campaign, first, second } = await duringCall()
    const [{ id }] = await calls(by)
    expect((await platform.api().ask('DELETE', `/api/user/calls/${id}`, by)).status).toBe(200)
    expect(await leadStatus(by, first)).toBe('reached-max-retries')
    expect(await calls(by)).toEqual([])
    const ledger = await platform
      .tables()
      .read.selectFrom('ledger')
      .select('amount')
      .where('account_id', '=', by.id)
      .execute()
    expect(ledger.slice(-2).map((one) => one.amount)).toEqual([-100_000, 100_000])
    await pass(10)
    expect(await leadStatus(by, second)).toBe('completed')
    expect(await statusOf(by, campaign)).toBe('completed')
  })

  test('starts at its scheduled time', async () => {
    const by = await platform.owner()
    const campaign = await make(by, {
      scheduled_start_at: new Date(platform.time.ms + 30 * 60_000).toISOString().slice(0, 19),
    })
    await lead(by, campaign, '+14155550145')
    expect((await turn(by, campaign)).body.data.status).toBe('scheduled')
    await pass(29)
    expect(await statusOf(by, campaign)).toBe('scheduled')
    await pass(1)
    expect(await statusOf(by, campaign)).toBe('in-progress')
    expect(await calls(by)).toHaveLength(1)
  })

  test('is paused without a call when its assistant is deleted before its scheduled time', async () => {
    const by = await platform.owner()
    const campaign = await make(by, {
      scheduled_start_at: new Date(platform.time.ms + 30 * 60_000).toISOString().slice(0, 19),
    })
    await lead(by, campaign, '+14155550147')
    expect((await turn(by, campaign)).body.data.status).toBe('scheduled')
    expect((await platform.api().ask('DELETE', `/api/user/assistant/${by.assistant}`, by)).status).toBe(200)
    await pass(31)
    expect([await statusOf(by, campaign), await calls(by)]).toEqual(['paused', []])
  })

  test('calls a lead that is added while it runs', async () => {
    const by = await platform.owner()
    const campaign = await make(by, { mark_complete_when_no_leads: false })
    await turn(by, campaign)
    await pass(1)
    expect(await statusOf(by, campaign)).toBe('in-progress')
    const id = await lead(by, campaign, '+14155550146')
    await pass(5)
    expect(await leadStatus(by, id)).toBe('completed')
  })

  test('sends a template to its leads at its rate, with their variables', async () => {
    const by = await platform.owner()
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 10 })
    const sender = await platform.sender(by)
    const campaign = await make(by, {
      channel: 'messaging',
      assistant_id: undefined,
      messaging_sender_id: sender.id,
      messaging_template_id: sender.template,
      messages_per_minute: 2,
    })
    for (let n = 0; n < 5; n++) await lead(by, campaign, `+1415555015${n}`)
    await turn(by, campaign)
    const sent = async () =>
      (
        await platform
          .tables()
          .read.selectFrom('channel_message')
          .select('id')
          .where('account_id', '=', by.id)
          .execute()
      ).length
    await platform.minutes(0)
    expect(await sent()).toBe(2)
    await pass(1)
    expect(await sent()).toBe(4)
    await pass(3)
    expect(await sent()).toBe(5)
    expect(await statusOf(by, campaign)).toBe('completed')
    expect((await leads(by)).every((one: { status: string }) => one.status === 'completed')).toBe(true)
  })
})
