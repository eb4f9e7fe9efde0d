import { beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { desk } from '../../../support/platform/assistant-drafts.ts'
import type { TestAccount } from '../../../support/platform/platform-api.ts'
import { fresh, tablesOf } from '../../../support/platform/test-platforms.ts'

const one = '/api/user/campaign'
const day = 86_400_000
const waits = { mark_complete_when_no_leads: false }

describe.each(databases)('campaigns on $name', (database) => {
  let api: Awaited<ReturnType<typeof fresh>>
  let owner: TestAccount
  let assistant: number
  let number: number
  let wall = Date.parse('2026-08-04T12:00:00Z')

  beforeAll(async () => {
    api = await fresh(database, { seed: 7, wall: () => wall })
    owner = await api.account({ balance: 5 })
    assistant = (await api.ask('POST', '/api/user/assistant', { ...owner, body: { ...desk, type: 'outbound' } })).body
      .data.id
    number = (await api.buy('+15005550006', owner)).body.data.id
  })

  const create = (body: object, by: Partial<TestAccount> = owner) =>
    api.ask('POST', one, { ...by, body: { name: 'Recall', ...body } })
  const make = async (body: object = { assistant_id: assistant }): Promise<number> => (await create(body)).body.data.id
  const get = (id: number, by = owner) => api.ask('GET', `${one}/${id}`, by)
  const move = (id: number, action: string, by = owner) =>
    api.ask('POST', '/api/user/campaigns/update-status', { ...by, body: { campaign_id: id, action } })
  const lead = (campaign: number, phone: string, more: object = {}) =>
    api.ask('POST', '/api/user/lead', { ...owner, body: { campaign_id: campaign, phone_number: phone, ...more } })

  test('that call start as drafts with the defaults of deployments', async () => {
    const { status, body } = await create({
      assistant_id: assistant,
      phone_number_ids: [number, number],
      sms_body: 'of no use',
    })
    expect({ status, message: body.message }).toEqual({ status: 201, message: 'Campaign created successfully' })
    expect(body.data).toMatchObject({
      name: 'Recall',
      channel: 'call',
      status: 'draft',
      assistant_id: assistant,
      phone_number_ids: [number],
      allowed_hours_start_time: '00:00',
      allowed_hours_end_time: '23:59',
      max_retries: 3,
      retry_interval: 60,
      mark_complete_when_no_leads: true,
      max_calls_in_parallel: 3,
      schedule_windows: null,
      timezone: null,
      sms_body: null,
      messages_per_minute: null,
    })
    expect(body.data.allowed_days).toHaveLength(7)
    expect((await get(body.data.id)).body).toEqual({ data: body.data })
    expect((await api.ask('GET', '/api/user/campaigns', owner)).body).toContainEqual(body.data)
  })

  test('that send messages require a sender and template, or a number and text', async () => {
    const refused = async (body: object) => (await create(body)).body
    expect(await refused({})).toEqual({
      message: 'Validation failed',
      errors: { assistant_id: ['The assistant id field is required when channel is call.'] },
    })
    expect((await refused({ channel: 'messaging' })).errors).toEqual({
      messaging_sender_id: ['The messaging sender id field is required when channel is messaging.'],
      messaging_template_id: ['The messaging template id field is required when channel is messaging.'],
    })
    expect((await refused({ channel: 'sms' })).errors).toEqual({
      sms_from_phone_number_id: ['The sms from phone number id field is required when channel is sms.'],
      sms_body: ['The sms body field is required when channel is sms.'],
    })
    expect((await refused({ assistant_id: assistant, fallback_channel: 'sms' })).errors).toEqual({
      fallback_sms_from_phone_number_id: [
        'The fallback sms from phone number id field is required when fallback channel is sms.',
      ],
      fallback_sms_body: ['The fallback sms body field is required when fallback channel is sms.'],
    })
    const sms = await create({
      channel: 'sms',
      sms_from_phone_number_id: number,
      sms_body: 'Hello',
      assistant_id: assistant,
    })
    expect(sms.body.data).toMatchObject({
      channel: 'sms',
      sms_from_phone_number_id: number,
      assistant_id: null,
      max_calls_in_parallel: null,
      phone_number_ids: null,
    })
    const key = {}
    const messaging = await api.ask('POST', one, {
      ...key,
      body: {
        name: 'Reminders',
        channel: 'messaging',
        messaging_sender_id: 1,
        messaging_template_id: 1,
        messages_per_minute: 10,
      },
    })
    expect(messaging.body.data).toMatchObject({
      messaging_sender_id: 1,
      messaging_template_id: 1,
      messages_per_minute: 10,
      retry_on_voicemail: null,
    })
  })

  test.each([
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ channel: 'fax' }, 'channel'],
    [{ timezone: 'Mars/Base' }, 'timezone'],
    [{ schedule_windows: [{ start: '9:00', end: '24:00' }] }, 'schedule_windows.0.start'],
    [{ allowed_hours_end_time: '25:00' }, 'allowed_hours_end_time'],
    [{ allowed_days: [] }, 'allowed_days'],
    [{ allowed_days: ['caturday'] }, 'allowed_days.0'],
    [{ scheduled_start_at: 'tomorrow' }, 'scheduled_start_at'],
    [{ scheduled_start_at: '2026-02-30T09:00' }, 'scheduled_start_at'],
    [{ max_retries: 6 }, 'max_retries'],
    [{ retry_interval: 9 }, 'retry_interval'],
    [{ retry_interval: 4321 }, 'retry_interval'],
    [{ max_calls_in_parallel: 11 }, 'max_calls_in_parallel'],
    [{ messages_per_minute: 11 }, 'messages_per_minute'],
    [{ sms_body: 'x'.repeat(1601) }, 'sms_body'],
    [{ color: 'red' }, 'color'],
  ])('are refused with %j', async (body, field) => {
    const answer = await create({ assistant_id: assistant, ...body })
    expect({ status: answer.status, message: answer.body.message }).toEqual({
      status: 422,
      message: 'Validation failed',
    })
    expect(Object.keys(answer.body.errors)).toContain(field)
  })

  test('refer to resources of their account only', async () => {
    const stranger = await api.account()
    const fallback = { fallback_messaging_sender_id: 1, fallback_messaging_template_id: 1 }
    const { body } = await create(
      { assistant_id: assistant, phone_number_ids: [number], fallback_channel: 'messaging', ...fallback },
      stranger,
    )
    expect(body.errors).toEqual({
      assistant_id: ['The selected assistant id is invalid.'],
      'phone_number_ids.0': ['The selected phone number ids.0 is invalid.'],
      fallback_messaging_sender_id: ['The selected fallback messaging sender id is invalid.'],
      fallback_messaging_template_id: ['The selected fallback messaging template id is invalid.'],
    })
    expect(
      (await create({ channel: 'sms', sms_from_phone_number_id: number, sms_body: 'x' }, stranger)).body.errors,
    ).toEqual({
      sms_from_phone_number_id: ['The selected sms from phone number id is invalid.'],
    })
    const id = await make()
    expect(await get(id, stranger)).toMatchObject({ status: 404, body: { message: 'Campaign not found' } })
    expect(await move(id, 'start', stranger)).toMatchObject({
      status: 404,
      body: { message: 'Campaign not found', success: false },
    })
    expect(await api.ask('DELETE', `${one}/${id}`, stranger)).toMatchObject({ status: 404 })
    expect((await api.ask('GET', '/api/user/campaigns', stranger)).body).toEqual([])
  })

  test('are limited by the plan of the account, until one is deleted or the plan changes', async () => {
    const account = await api.account({ balance: 5 })
    const plan = (max_campaigns: number | null) =>
      api.control('PUT', `/control/accounts/${account.id}`, { max_campaigns })
    const [sale] = (await api.ask('GET', '/api/user/phone-numbers/search?country_code=US', account)).body.data
    const sms = {
      channel: 'sms',
      sms_body: 'x',
      sms_from_phone_number_id: (await api.buy(sale.phone_number, account)).body.data.id,
    }
    expect((await plan(1)).body.data).toMatchObject({ max_campaigns: 1 })
    const first = (await create(sms, account)).body.data.id
    const refused = { status: 422, body: { message: 'The plan allows no more campaigns.' } }
    expect(await create(sms, account)).toMatchObject(refused)
    await api.ask('DELETE', `${one}/${first}`, account)
    expect((await create(sms, account)).status).toBe(201)
    expect(await create(sms, account)).toMatchObject(refused)
    expect((await plan(null)).body.data).toMatchObject({ max_campaigns: null })
    expect((await create(sms, account)).status).toBe(201)
  })

  test('without leads start only if they wait for leads', async () => {
    const empty = { status: 400, body: { message: 'The campaign has no leads to contact.', success: false } }
    const id = await make()
    expect(await move(id, 'start')).toMatchObject(empty)
    const { id: done } = (await lead(id, '+14155550121')).body.data
    const end = (status: string) => api.ask('PUT', `/api/user/leads/${done}`, { ...owner, body: { status } })
    await end('completed')
    expect(await move(id, 'start')).toMatchObject(empty)
    await end('created')
    expect((await move(id, 'start')).body.data.status).toBe('in-progress')
    expect((await move(await make({ assistant_id: assistant, ...waits }), 'start')).body.data.status).toBe(
      'in-progress',
    )
    await api.ask('DELETE', `${one}/${id}`, owner)
  })

  test('are started and stopped, and refuse what their status does not allow', async () => {
    const id = await make({ assistant_id: assistant, ...waits })
    expect(await move(id, 'stop')).toMatchObject({
      status: 400,
      body: { message: "This action is not possible in the campaign's current status: draft", success: false },
    })
    expect(await move(id, 'start')).toMatchObject({
      status: 200,
      body: {
        message: 'Campaign started successfully',
        success: true,
        data: { campaign_id: id, status: 'in-progress', channel: 'call' },
      },
    })
    expect(await move(id, 'start')).toMatchObject({ status: 400, body: { success: false } })
    expect((await move(id, 'stop')).body).toEqual({
      message: 'Campaign stopped successfully',
      success: true,
      data: { campaign_id: id, status: 'paused', channel: 'call' },
    })
    expect((await move(id, 'start')).body.data.status).toBe('in-progress')
    expect(await move(id, 'dance')).toMatchObject({
      status: 400,
      body: { message: 'The selected action is invalid.', success: false },
    })
    expect((await get(id)).body.data.status).toBe('in-progress')
  })

  test('with a future start are scheduled, in their own time zone', async () => {
    const scheduled = async (at: string) =>
      (
        await move(
          await make({ assistant_id: assistant, timezone: 'America/New_York', scheduled_start_at: at, ...waits }),
          'start',
        )
      ).body.data.status
    // It is 8 o'clock in New York.
    expect(await scheduled('2026-08-04T08:01')).toBe('scheduled')
    expect(await scheduled('2026-08-04 07:59:30')).toBe('in-progress')
    expect(await scheduled('2026-08-04T12:01:00Z')).toBe('scheduled')
    expect(await scheduled('2026-08-04T13:59+02:00')).toBe('in-progress')
  })

  test('do not start without a balance', async () => {
    const poor = await api.account()
    const voice = (await api.ask('POST', '/api/user/assistant', { ...poor, body: { ...desk, type: 'outbound' } })).body
      .data.id
    const id = (await create({ assistant_id: voice }, poor)).body.data.id
    expect(await move(id, 'start', poor)).toMatchObject({
      status: 400,
      body: { message: 'Insufficient balance. Please top up your account.', success: false },
    })
    expect((await get(id, poor)).body.data.status).toBe('draft')
  })

  test('stop when a resource they need is deleted, and do not start again', async () => {
    const voice = (await api.ask('POST', '/api/user/assistant', { ...owner, body: { ...desk, type: 'outbound' } })).body
      .data.id
    const id = await make({ assistant_id: voice, phone_number_ids: [number], ...waits })
    await move(id, 'start')
    await api.ask('DELETE', `/api/user/assistant/${voice}`, owner)
    expect((await get(id)).body.data).toMatchObject({
      status: 'paused',
      assistant_id: null,
      phone_number_ids: [number],
    })
    expect(await move(id, 'start')).toMatchObject({
      status: 400,
      body: { message: 'The campaign cannot start without: assistant_id', success: false },
    })
  })

  test('lose a deleted number', async () => {
    const account = await api.account({ balance: 5 })
    const [sale] = (await api.ask('GET', '/api/user/phone-numbers/search?country_code=US', account)).body.data
    const bought = (await api.buy(sale.phone_number, account)).body.data.id
    const sms = (await create({ channel: 'sms', sms_from_phone_number_id: bought, sms_body: 'x', ...waits }, account))
      .body.data.id
    await move(sms, 'start', account)
    await api.ask('DELETE', `/api/user/phone-numbers/${bought}`, account)
    wall += 40 * day
    await api.platform.due.drain()
    wall -= 40 * day
    expect((await get(sms, account)).body.data).toMatchObject({ status: 'paused', sms_from_phone_number_id: null })
  })

  test('are deleted with their leads, whatever their status', async () => {
    const [id, other] = [await make(), await make()]
    for (let n = 0; n < 5; n++)
      await lead(id, `+1415555012${n}`, { secondary_contacts: [{ phone_number: '+14155550129' }] })
    await lead(other, '+14155550120')
    await move(id, 'start')
    expect(await api.ask('DELETE', `${one}/${id}`, owner)).toMatchObject({
      status: 200,
      body: { message: 'Campaign deleted successfully' },
    })
    expect(await get(id)).toMatchObject({ status: 404 })
    expect(await api.ask('DELETE', `${one}/${id}`, owner)).toMatchObject({ status: 404 })
    expect(await lead(id, '+14155550120')).toMatchObject({ status: 404, body: { message: 'Campaign not found' } })
    expect((await api.ask('GET', '/api/user/leads', owner)).body).toMatchObject({
      total: 1,
      data: [{ campaign_id: other }],
    })
    const { read } = await tablesOf(api.place)
    expect(await read.selectFrom('lead_contact').select('id').where('account_id', '=', owner.id).execute()).toEqual([])
    expect(await read.selectFrom('due').select('id').where('kind', '=', 'campaign.removal').execute()).toEqual([])
    expect((await api.control('GET', '/control/check')).body.lists).toContainEqual({ list: 'lead', wrong: 0 })
  })

  test('whose deletion was interrupted are deleted completely later', async () => {
    const id = await make()
    await lead(id, '+14155550120')
    const { write, read } = await tablesOf(api.place)
    await write('everything', async (query) => {
      await query.updateTable('campaign').set({ deleted_at: 1 }).where('id', '=', id).execute()
      const due = {
        account_id: owner.id,
        kind: 'campaign.removal',
        subject: String(id),
        due_at: 1,
        attempts: 0,
        lease_until: 0,
        lease_owner: null,
      }
      await query.insertInto('due').values(due).execute()
    })
    await api.platform.due.drain()
    expect(await read.selectFrom('lead').select('id').where('campaign_id', '=', id).execute()).toEqual([])
    expect(await read.selectFrom('campaign').select('id').where('id', '=', id).execute()).toEqual([])
  })
})
