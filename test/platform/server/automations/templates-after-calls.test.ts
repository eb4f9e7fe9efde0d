import { describe, expect, test } from 'vitest'
import { call, mailSink, receiver, templatePlatform } from '../../../support/platform/template-platform.ts'

describe('a template that is applied to an assistant', () => {
  const platform = templatePlatform()

  test('adds a row for a qualified call, and none for another', async () => {
    await platform.connect('spreadsheet')
    platform.writeSheet('leads', 'Phone,Owner,Date\n+14155550100,"Moss, Clara",2027-01-01\n')
    const assistant = await platform.assistant()
    const { id, built } = await platform.applied(
      'post-call-qualified-to-spreadsheet',
      { spreadsheet_id: 'leads' },
      { assistant },
    )
    expect(built).toMatchObject({
      status: 'active',
      webhook_url: null,
      binding: { type: 'post_call', assistant_id: assistant, bound: true },
    })
    expect(platform.sheet('leads').split('\n')).toHaveLength(4)
    await platform.fire('post_call', assistant, id, call())
    await platform.fire('post_call', assistant, id, call({ extracted_variables: { status: 'false', summary: 'No.' } }))
    const [headers, first, , row, ...rest] = platform.sheet('leads').trimEnd().split('\n')
    expect([headers, first]).toEqual([
      'Phone,Owner,Date,Duration,Summary,Details',
      '+14155550100,"Moss, Clara",2027-01-01',
    ])
    expect(row).toBe(
      '+14155550142,,2027-03-01T11:59:01.000Z,61,Wants a check-up.,"{""status"":true,""summary"":""Wants a check-up.""}"',
    )
    expect(rest).toEqual([])
  })

  test('sends the transcript to a real mail server', async () => {
    const { port, got } = await mailSink()
    await platform.connect('mail', { host: '127.0.0.1', port, from: 'desk@northwind.example' })
    const assistant = await platform.assistant()
    const { id } = await platform.applied(
      'post-call-transcript-email',
      { recipient_email: 'team@northwind.example' },
      { assistant },
    )
    expect(got).toHaveLength(1)
    await platform.fire('post_call', assistant, id, call())
    expect(got).toHaveLength(2)
    expect(got[1]).toMatchObject({ from: 'desk@northwind.example', to: ['team@northwind.example'] })
    expect(got[1]?.raw).toMatch(/^Subject: Call with \+14155550142\r$/m)
    expect(got[1]?.raw).toContain('Summary: Wants a check-up.')
    expect(got[1]?.raw).toContain('Customer: A check-up, please.')
  })

  test('sends an email about a hot lead, and about no other', async () => {
    const { port, got } = await mailSink()
    await platform.connect('mail', { host: '127.0.0.1', port, from: 'desk@northwind.example' })
    const assistant = await platform.assistant()
    const { id } = await platform.applied(
      'post-call-hot-lead-alert',
      { alert_email: 'boss@northwind.example', hot_variable: 'is hot' },
      { assistant },
    )
    expect(got).toHaveLength(1)
    await platform.fire('post_call', assistant, id, call({ extracted_variables: { 'is hot': 'no' } }))
    await platform.fire('post_call', assistant, id, call({ extracted_variables: {} }))
    expect(got).toHaveLength(1)
    await platform.fire('post_call', assistant, id, call({ extracted_variables: { 'is hot': 'very' } }))
    expect(got[1]?.to).toEqual(['boss@northwind.example'])
    expect(got[1]?.raw).toMatch(/^Subject: Hot lead: \+14155550142\r$/m)
  })

  test('sends an SMS to the caller', async () => {
    const assistant = await platform.assistant()
    const { id: from } = await platform
      .tables()
      .read.selectFrom('phone_number')
      .select('id')
      .where('nickname', '=', 'Front desk')
      .executeTakeFirstOrThrow()
    const params = {
      from_phone_id: from,
      message: "Thank you. You said: {{trigger['extracted_variables']['summary']}}",
    }
    const { id } = await platform.applied('post-call-sms-followup', params, { assistant })
    await platform.fire('post_call', assistant, id, call())
    const sent = await platform
      .tables()
      .read.selectFrom('sms_message')
      .selectAll()
      .where('recipient', '=', '+14155550142')
      .execute()
    expect(sent).toMatchObject([{ body: 'Thank you. You said: Wants a check-up.', state: 'sent', number_id: from }])
  })

  test('sends a message template with its first placeholder filled', async () => {
    const assistant = await platform.assistant()
    const params = { sender_id: '1', messaging_template: 'convite_retorno', variable_1: 'Ana' }
    const { id } = await platform.applied('post-call-messaging-confirmation', params, { assistant })
    await platform.fire('post_call', assistant, id, call({ customer_phone: '+14155550177' }))
    const sent = await platform
      .tables()
      .read.selectFrom('channel_message')
      .selectAll()
      .where('recipient_phone', '=', '+14155550177')
      .execute()
    expect(sent).toMatchObject([{ body: 'Olá Ana, já faz seis meses da sua última visita.', state: 'sent' }])
  })

  test('sends a message template that has no placeholders', async () => {
    const assistant = await platform.assistant()
    const { built } = await platform.applied(
      'post-call-messaging-confirmation',
      { sender_id: 1, messaging_template: 'opening_hours' },
      { assistant },
    )
    expect(built.status).toBe('active')
  })

  test('posts a note with a credential to a real server', async () => {
    const { url, got } = await receiver()
    const assistant = await platform.assistant()
    const params = { endpoint_url: `${url}/notes`, auth_header: 'X-Token', auth_value: 's3cret' }
    const { id } = await platform.applied('post-call-crm-note-http', params, { assistant })
    await platform.fire('post_call', assistant, id, call())
    expect(got).toHaveLength(2)
    expect(got[1]).toMatchObject({
      method: 'POST',
      headers: { 'x-token': 's3cret', 'idempotency-key': expect.any(String) },
    })
    expect(JSON.parse(got[1]?.body ?? '')).toMatchObject({
      call_id: 7,
      phone: '+14155550142',
      summary: 'Wants a check-up.',
      variables: { status: true },
    })
    const { data } = (await platform.api().ask('GET', `/api/user/automate/flows/${id}`)).body
    expect(JSON.stringify(data.definition)).not.toContain('s3cret')
  })

  test('calls back at the requested time, in the time zone of the assistant', async () => {
    const assistant = await platform.assistant({ timezone: 'America/New_York' })
    const { id, built } = await platform.applied('post-call-callback', {}, { assistant })
    expect(built.test).toMatchObject({
      run_status: 'PAUSED',
      steps: [{}, { name: 'step_2', classification: 'paused_at_delay' }],
    })
    const { run } = await platform.fire(
      'post_call',
      assistant,
      id,
      call({ extracted_variables: { callback_wanted: 'yes', callback_time: '2027-03-01 09:30' } }),
    )
    expect(run.status).toBe('PAUSED')
    const calls = () =>
      platform.tables().read.selectFrom('phone_call').selectAll().where('assistant_id', '=', assistant).execute()
    // Half past nine in New York is half past two in the afternoon in UTC; it is noon.
    await platform.wait(149 * 60_000)
    expect(await calls()).toEqual([])
    await platform.wait(61_000)
    expect(await platform.settled(id, run.id)).toMatchObject({ status: 'SUCCEEDED' })
    expect(await calls()).toMatchObject([{ client_phone_number: '+14155550142', type: 'outbound' }])
    const other = await platform.fire(
      'post_call',
      assistant,
      id,
      call({ extracted_variables: { callback_wanted: false } }),
    )
    expect(other.run).toMatchObject({ status: 'SUCCEEDED', steps: [{ name: 'step_1' }] })
  })

  test('calls back in the time zone of the parameter, if it is set', async () => {
    const assistant = await platform.assistant({ timezone: 'America/New_York' })
    const { id } = await platform.applied(
      'post-call-callback',
      { from_timezone: 'Asia/Tokyo', callback_variable: 'again', time_variable: 'when' },
      { assistant },
    )
    const { run } = await platform.fire(
      'post_call',
      assistant,
      id,
      call({ extracted_variables: { again: true, when: '2027-03-02T09:00' } }),
    )
    const waits = await platform
      .tables()
      .read.selectFrom('automation_wait')
      .select('until')
      .where('id', 'like', `${run.id}%`)
      .execute()
    expect(new Date(Number(waits[0]?.until) / 1000).toISOString()).toBe('2027-03-02T00:00:00.000Z')
  })

  test('looks the caller up before the assistant answers', async () => {
    const { url, got } = await receiver(() => ({
      body: { data: { first_name: 'Anna', visits: 3, address: { town: 'Oakland' } } },
    }))
    const assistant = await platform.assistant()
    const params = { lookup_url: `${url}/people`, api_key: 'k-1', phone_format: 'digits' }
    const { id, built } = await platform.applied('inbound-caller-lookup-http', params, { assistant })
    expect(built).toMatchObject({
      response: { first_name: 'Anna', visits: '3' },
      binding: { type: 'inbound', bound: true },
    })
    const { data } = await platform.fire('inbound', assistant, id, {
      customer_phone: '+14155550142',
      assistant_phone: '+14155550199',
    })
    expect(data.variables).toEqual({ first_name: 'Anna', visits: '3' })
    expect(got[1]?.url.searchParams.get('phone')).toBe('14155550142')
    expect(got[1]?.headers['x-api-key']).toBe('k-1')
  })

  test('sends a summary when a chat has ended', async () => {
    const { port, got } = await mailSink()
    await platform.connect('mail', { host: '127.0.0.1', port, from: 'desk@northwind.example' })
    const assistant = await platform.assistant()
    const { id, built } = await platform.applied(
      'conversation-ended-summary-email',
      { recipient_email: 'team@northwind.example' },
      { assistant },
    )
    expect(built).toMatchObject({
      webhook_url: expect.stringContaining(id),
      binding: { type: 'conversation_ended', bound: true },
    })
    await platform.fire('conversation_ended', assistant, id, {
      type: 'widget',
      customer_phone: null,
      customer_name: null,
      extracted_variables: { summary: 'Asked for prices.' },
      formatted_transcript: 'Customer: How much?',
    })
    expect(got[1]?.raw).toMatch(/^Subject: Chat with a visitor\r$/m)
    expect(got[1]?.raw).toContain('Asked for prices.')
    expect(got[1]?.raw).toContain('Customer: How much?')
  })
})
