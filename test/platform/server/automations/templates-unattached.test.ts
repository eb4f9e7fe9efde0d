import { describe, expect, test } from 'vitest'
import { receiver, templatePlatform } from '../../../support/platform/template-platform.ts'

const hour = 3600_000

describe('a template without an assistant', () => {
  const platform = templatePlatform()
  const leadsOf = (phone: string) =>
    platform
      .tables()
      .read.selectFrom('lead')
      .select(['campaign_id', 'phone_number', 'variables', 'status'])
      .where('phone_number', '=', phone)
      .execute()
  const callsTo = (phone: string) =>
    platform.tables().read.selectFrom('phone_call').selectAll().where('client_phone_number', '=', phone).execute()
  const bookings = (calendar: 'calendar-a' | 'crm-b') =>
    platform.tables().read.selectFrom('local_booking').selectAll().where('calendar', '=', calendar).execute()
  async function book(calendar: 'calendar-a' | 'crm-b', id: string, start: string, more: object = {}): Promise<void> {
    const who = { name: 'Anna Keller', email: 'anna@northwind.example', phone: '+14155550142', notes: null, ...more }
    const row = { id, calendar, owner: 1, title: 'Check-up', start, ends: start, status: 'booked' as const, ...who }
    await platform.tables().write('rows', (query) => query.insertInto('local_booking').values(row).execute())
  }
  const change = (id: string, values: object) =>
    platform
      .tables()
      .write('rows', (query) => query.updateTable('local_booking').set(values).where('id', '=', id).execute())

  test('adds a lead for data that is posted to its URL', async () => {
    const { id, hook, built } = await platform.applied('lead-intake-webhook', { campaign_id: '1' })
    expect(hook).toContain(`/automate/api/v1/webhooks/${id}`)
    expect(built.response).toEqual({ added: true, lead_id: expect.any(Number) })
    const { status, body } = await platform.hook(id, '/sync', {
      phone: '+1 415 555 0166',
      first_name: 'Ida',
      source: 'website',
    })
    expect([status, body]).toEqual([200, { added: true, lead_id: expect.any(Number) }])
    const [lead] = await leadsOf('+14155550166')
    expect(lead).toMatchObject({ campaign_id: 1, status: 'created' })
    expect(JSON.parse(lead?.variables ?? '')).toMatchObject({ first_name: 'Ida', source: 'website' })
    // The same person once more is refused as always; another test of the template is not.
    expect((await platform.hook(id, '/sync', { phone: '+14155550166' })).status).toBe(500)
    expect((await platform.applied('lead-intake-webhook', { campaign_id: 1 })).built.status).toBe('active')
  })

  test('fails its test if the campaign does not exist, and stays disabled', async () => {
    const { status, body } = await platform.apply('lead-intake-webhook', {
      params: { campaign_id: '99' },
      confirm_side_effects: true,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'test_failed',
      test: { steps: [{ name: 'step_1', classification: 'missing_record' }] },
    })
  })

  test('returns the response of a URL while the assistant waits', async () => {
    const { url, got } = await receiver(({ url: asked }) => ({
      body: { order: asked.searchParams.get('query'), state: 'sent' },
    }))
    const { id, built } = await platform.applied('midcall-http-lookup', {
      lookup_url: `${url}/orders`,
      auth_header_value: 'Bearer abc',
    })
    expect(built).toMatchObject({ status: 'active', response: { result: { order: 'sample', state: 'sent' } } })
    expect(await platform.hook(id, '/sync', { query: 'A-17' })).toEqual({
      status: 200,
      body: { result: { order: 'A-17', state: 'sent' } },
    })
    expect(got[1]?.headers.authorization).toBe('Bearer abc')
  })

  test('adds each row of a spreadsheet once to a campaign, also new ones later', async () => {
    await platform.connect('spreadsheet')
    platform.writeSheet(
      'people',
      'Mobile,Full name,Town\n+14155550181,Ada,Oakland\nnobody,Bob,\n+14155550182,Cy,Berkeley\n',
    )
    const params = {
      spreadsheet_id: 'people',
      campaign_id: 1,
      phone_column: 'Mobile',
      name_column: 'Full name',
      minutes: 5,
    }
    const { id, built } = await platform.applied('sheet-rows-to-campaign', params)
    expect(built).toMatchObject({ status: 'active_untested', test: { run_status: 'not_tested' } })
    await platform.wait(5 * 60_000)
    expect(await platform.settled(id)).toMatchObject({ status: 'SUCCEEDED' })
    expect(JSON.parse((await leadsOf('+14155550181'))[0]?.variables ?? '')).toEqual({
      Mobile: '+14155550181',
      'Full name': 'Ada',
      Town: 'Oakland',
      name: 'Ada',
    })
    expect(await leadsOf('+14155550182')).toHaveLength(1)
    platform.writeSheet('people', `${platform.sheet('people')}+14155550183,Dee,\n`)
    await platform.wait(5 * 60_000)
    await platform.settled(id)
    expect(await leadsOf('+14155550183')).toHaveLength(1)
    expect(await leadsOf('+14155550181')).toHaveLength(1)
    // Only the new row was read.
    expect((await platform.settled(id)).steps.filter((one: { name: string }) => one.name === 'step_4')).toHaveLength(1)
  })

  test('sends a message template to the rows of a spreadsheet at its hour of the day', async () => {
    await platform.connect('spreadsheet')
    platform.writeSheet('recall', 'Phone,First\n+14155550191,Ada\n')
    const params = {
      spreadsheet_id: 'recall',
      sender_id: 1,
      messaging_template: 'convite_retorno',
      name_column: 'First',
      hour: 9,
      timezone: 'America/Los_Angeles',
    }
    const { id } = await platform.applied('sheet-rows-to-messaging-daily', params)
    const sent = () =>
      platform
        .tables()
        .read.selectFrom('channel_message')
        .select('body')
        .where('recipient_phone', '=', '+14155550191')
        .execute()
    const untilNine = Date.UTC(2027, 2, 1, 17) - platform.time.ms
    await platform.wait(untilNine - 1000)
    expect(await sent()).toEqual([])
    await platform.wait(1000)
    await platform.settled(id)
    expect(await sent()).toEqual([{ body: 'Olá Ada, já faz seis meses da sua última visita.' }])
    await platform.wait(24 * hour)
    await platform.settled(id)
    expect(await sent()).toHaveLength(1)
    expect(await platform.runs(id)).toHaveLength(2)
  })

  test('calls before an appointment, also after it was moved, and not after it was cancelled', async () => {
    await platform.connect('calendar-a')
    const { id, built } = await platform.applied('calendar-a-call-before-appointment', {
      assistant_id: '2',
      hours_before: '2',
    })
    expect(built.status).toBe('active_untested')
    await platform.wait(0)
    const soon = (hours: number): string => new Date(platform.time.ms + hours * hour).toISOString()
    await book('calendar-a', 'b-kept', soon(10), { phone: '+14155550201' })
    await book('calendar-a', 'b-moved', soon(10), { phone: '+14155550202' })
    await book('calendar-a', 'b-cancelled', soon(10), { phone: '+14155550203' })
    // Services are asked for news every five minutes.
    await platform.wait(5 * 60_000)
    await platform.settled(id)
    expect(await platform.runs(id)).toHaveLength(3)
    await change('b-moved', { start: soon(20) })
    await change('b-cancelled', { status: 'cancelled' })
    await platform.wait(7 * hour + 54 * 60_000)
    expect([await callsTo('+14155550201'), await callsTo('+14155550202')]).toEqual([[], []])
    await platform.wait(2 * 60_000)
    await platform.wait(0)
    expect(await callsTo('+14155550201')).toMatchObject([{ assistant_id: 2, type: 'outbound' }])
    expect(JSON.parse((await callsTo('+14155550201'))[0]?.variables ?? '')).toMatchObject({
      name: 'Anna Keller',
      appointment: 'Check-up',
    })
    expect(await callsTo('+14155550202')).toEqual([])
    await platform.wait(10 * hour + 5 * 60_000)
    await platform.wait(0)
    expect(await callsTo('+14155550202')).toHaveLength(1)
    expect(await callsTo('+14155550203')).toEqual([])
  })

  test('cancels or moves the next appointment of an email address, and of no other', async () => {
    const params = { attendee_email: "{{trigger['body']['email']}}" }
    const { id, built } = await platform.applied('calendar-a-cancel-reschedule-midcall', params)
    expect(built).toMatchObject({ status: 'active', response: { done: false, message: 'No appointment was found.' } })
    const start = new Date(platform.time.ms + 48 * hour).toISOString()
    await book('calendar-a', 'c-anna', start, { email: 'anna.c@northwind.example' })
    await book('calendar-a', 'c-ben', start, { email: 'ben@northwind.example' })
    const ask = async (body: object) => (await platform.hook(id, '/sync', body)).body
    const found = (which: string) => bookings('calendar-a').then((all) => all.find((one) => one.id === which))
    expect(await ask({ action: 'find', email: 'Anna.C@northwind.example' })).toMatchObject({
      message: 'The appointment was found.',
      start,
    })
    expect(
      await ask({
        action: 'reschedule',
        email: 'anna.c@northwind.example',
        start: '2027-04-05 10:00',
        timezone: 'America/Los_Angeles',
      }),
    ).toEqual({
      done: true,
      message: 'The appointment is moved.',
      start: '2027-04-05T17:00:00.000Z',
    })
    expect(await found('c-anna')).toMatchObject({
      start: '2027-04-05T17:00:00.000Z',
      ends: '2027-04-05T17:30:00.000Z',
      status: 'booked',
    })
    expect(await ask({ action: 'cancel', email: 'anna.c@northwind.example' })).toMatchObject({
      done: true,
      message: 'The appointment is cancelled.',
    })
    expect(await found('c-anna')).toMatchObject({ status: 'cancelled' })
    // A request without an address has no receiver.
    for (const email of ['', undefined, 'anna.c@northwind.example'])
      expect(await ask({ action: 'cancel', email })).toMatchObject({ done: false })
    expect(await found('c-ben')).toMatchObject({ status: 'booked' })
  })

  test('books, moves and cancels in the CRM, and keeps the caller as a contact', async () => {
    await platform.connect('crm-b')
    const { id, built } = await platform.applied('crm-b-appointment-manage-midcall', { timezone: 'Europe/Paris' })
    expect(built).toMatchObject({ status: 'active', response: { done: false } })
    const ask = async (body: object) => (await platform.hook(id, '/sync', body)).body
    const caller = { phone: '+14155550211', name: 'Eve Moss' }
    expect(await ask({ action: 'book', ...caller, start: '2027-07-01 09:00' })).toEqual({
      done: true,
      message: 'The appointment is booked.',
      start: '2027-07-01T07:00:00.000Z',
    })
    const [contact] = await platform
      .tables()
      .read.selectFrom('local_contact')
      .selectAll()
      .where('phone', '=', caller.phone)
      .execute()
    expect(contact).toMatchObject({ name: 'Eve Moss', owner: 1 })
    const notes = await platform
      .tables()
      .read.selectFrom('local_note')
      .select('text')
      .where('contact', '=', contact?.id ?? '')
      .execute()
    expect(notes).toEqual([{ text: 'Booked by phone for 2027-07-01T07:00:00.000Z.' }])
    expect(await ask({ action: 'move', ...caller, start: '2027-07-02 09:00' })).toMatchObject({
      done: true,
      start: '2027-07-02T07:00:00.000Z',
    })
    expect(await ask({ action: 'find', ...caller })).toMatchObject({ start: '2027-07-02T07:00:00.000Z' })
    for (const phone of ['', undefined, 'x'])
      expect(await ask({ action: 'cancel', phone })).toMatchObject({ done: false })
    expect(await ask({ action: 'cancel', ...caller })).toMatchObject({ done: true })
    expect((await bookings('crm-b')).map((one) => one.status)).toEqual(['cancelled'])
  })
})
