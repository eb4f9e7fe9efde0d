import { beforeAll, describe, expect, test } from 'vitest'
import type { AutomationTemplate } from '../../../../src/contract/automations/automation-records.ts'
import { listSideEffects } from '../../../../src/engine/analysis/external-actions.ts'
import { findRequiredConnections } from '../../../../src/engine/analysis/required-connections.ts'
import { readDefinition } from '../../../../src/engine/definition/validate-definition.ts'
import { resolveParams } from '../../../../src/engine/templates/param-values.ts'
import type { Template } from '../../../../src/engine/templates/template.ts'
import { templates } from '../../../../src/engine/templates/template-catalogue.ts'
import { templatePlatform } from '../../../support/platform/template-platform.ts'

/** The table of the specification: attached to an event, sends for real, connections, parameters (* is required). */
const table: Readonly<Record<string, readonly [string | null, boolean, readonly string[], string]>> = {
  'post-call-qualified-to-spreadsheet': ['post_call', false, ['spreadsheet'], 'spreadsheet_id* qualified_variable'],
  'post-call-transcript-email': ['post_call', true, ['mail'], 'recipient_email*'],
  'post-call-hot-lead-alert': ['post_call', true, ['mail'], 'alert_email* hot_variable'],
  'post-call-sms-followup': ['post_call', true, [], 'from_phone_id* message*'],
  'post-call-messaging-confirmation': ['post_call', true, [], 'sender_id* messaging_template* variable_1'],
  'post-call-crm-note-http': ['post_call', true, [], 'endpoint_url* auth_header auth_value'],
  'post-call-callback': ['post_call', true, [], 'callback_variable time_variable from_timezone'],
  'inbound-caller-lookup-http': ['inbound', false, [], 'lookup_url* api_key_header api_key phone_format'],
  'conversation-ended-summary-email': ['conversation_ended', true, ['mail'], 'recipient_email*'],
  'lead-intake-webhook': [null, true, [], 'campaign_id*'],
  'midcall-http-lookup': [null, false, [], 'lookup_url* auth_header_value'],
  'sheet-rows-to-campaign': [
    null,
    true,
    ['spreadsheet'],
    'spreadsheet_id* campaign_id* phone_column name_column minutes',
  ],
  'sheet-rows-to-messaging-daily': [
    null,
    true,
    ['spreadsheet'],
    'spreadsheet_id* sender_id* messaging_template* phone_column name_column hour timezone',
  ],
  'calendar-a-call-before-appointment': [null, true, ['calendar-a'], 'assistant_id* hours_before phone_expression'],
  'calendar-a-cancel-reschedule-midcall': [null, true, [], 'attendee_email*'],
  'crm-b-appointment-manage-midcall': [null, false, ['crm-b'], 'timezone'],
}

/** Something for every required parameter. */
const filled: Readonly<Record<string, string>> = {
  spreadsheet_id: 'leads',
  recipient_email: 'a@b.example',
  alert_email: 'a@b.example',
  from_phone_id: '3',
  message: 'Hello',
  sender_id: '1',
  messaging_template: 'opening_hours',
  endpoint_url: 'https://a.example',
  lookup_url: 'https://a.example',
  campaign_id: '1',
  assistant_id: '1',
  attendee_email: 'a@b.example',
}

describe('the catalog of templates', () => {
  const platform = templatePlatform()
  let entries: readonly AutomationTemplate[]
  beforeAll(async () => {
    entries = (await platform.api().ask('GET', '/api/user/automate/templates')).body.data
  })

  test('has the sixteen of the specification, in its order', () => {
    expect(entries.map((one) => one.key)).toEqual(Object.keys(table))
  })

  test.each(Object.keys(table))('has %s as the specification lists it', (key) => {
    const [binding, sends, connections, params] = table[key] as (typeof table)[string]
    const entry = entries.find((one) => one.key === key)
    expect(entry).toMatchObject({
      binding,
      requires_assistant: binding !== null,
      side_effects: sends,
      required_connections: connections,
    })
    expect(entry?.params.map((one) => `${one.key}${one.required ? '*' : ''}`).join(' ')).toBe(params)
  })

  test('describes each template, its use and its parameters', () => {
    for (const one of entries) {
      for (const text of [one.name, one.description, one.use_when]) expect(text, one.key).toMatch(/^[A-Z].{4,}$/)
      for (const param of one.params)
        expect(
          [param.label, param.description].every((text) => text.length > 2),
          `${one.key} ${param.key}`,
        ).toBe(true)
    }
  })

  test('gives defaults only to optional parameters, and qualified_variable the one of the specification', () => {
    const all = entries.flatMap((one) => one.params)
    expect(all.filter((param) => param.required && (param.default !== undefined || param.auto !== undefined))).toEqual(
      [],
    )
    expect(all.find((param) => param.key === 'qualified_variable')?.default).toBe('status')
    expect(all.find((param) => param.key === 'from_timezone')).toMatchObject({ auto: 'assistant_timezone' })
  })

  test.each(Object.keys(table))('is correct about what %s sends and needs', async (key) => {
    const template = templates.find((one) => one.key === key)
    const defaults =
      template?.params.flatMap((param) => (param.default === undefined ? [] : [[param.key, param.default]])) ?? []
    const flow = template?.flow(
      { ...Object.fromEntries(defaults), ...filled, from_timezone: 'UTC' },
      { assistant: 1, now: 0 },
    )
    const trigger = await readDefinition(flow)
    expect(listSideEffects(trigger).length > 0).toBe(template?.sends)
    expect([...findRequiredConnections(trigger).kinds]).toEqual(template?.connections)
  })

  test('shows samples if a test needs one', () => {
    expect(entries.find((one) => one.key === 'post-call-hot-lead-alert')?.test_sample).toEqual({
      extracted_variables: { status: 'yes' },
    })
    expect(entries.find((one) => one.key === 'lead-intake-webhook')?.test_sample).toEqual({
      phone: '+14155550111',
      name: 'Sample Person',
    })
  })
})

describe('applying a template is refused', () => {
  const platform = templatePlatform()
  const refused = async (key: string, body: object) => {
    const answer = await platform.apply(key, body)
    return { status: answer.status, ...answer.body }
  }

  test('with an unknown key: 404 template_not_found', async () => {
    expect(await refused('nothing', {})).toEqual({
      status: 404,
      message: 'Template not found',
      error: 'template_not_found',
      params: null,
    })
  })

  test('with missing parameters: 422 missing_params with their names; an example is never used as a value', async () => {
    const answer = await refused('post-call-sms-followup', {
      params: { message: '  ' },
      assistant_id: 1,
      confirm_side_effects: true,
    })
    expect(answer).toMatchObject({
      status: 422,
      error: 'missing_params',
      message: 'Required parameters are missing: from_phone_id, message.',
    })
    expect(answer.params).toEqual([
      expect.objectContaining({ key: 'from_phone_id', label: 'From', required: true, example: '3' }),
      expect.objectContaining({ key: 'message', required: true }),
    ])
  })

  test.each([
    [
      'inbound-caller-lookup-http',
      { lookup_url: 'https://a.example', phone_format: 'national' },
      'phone_format must be one of e164, digits, last_10',
    ],
    ['inbound-caller-lookup-http', { lookup_url: 'ftp://a.example' }, 'lookup_url must be an http or https address'],
    ['lead-intake-webhook', { campaign_id: '1; drop' }, 'campaign_id must be an id'],
    ['lead-intake-webhook', { campaign_id: ['1'] }, 'campaign_id must be a text'],
    ['lead-intake-webhook', { campaign_id: '1', campain: '2' }, 'has no parameter campain'],
    [
      'post-call-qualified-to-spreadsheet',
      { spreadsheet_id: 'x', qualified_variable: "a'] || b['" },
      'qualified_variable must be the name of a variable',
    ],
    [
      'sheet-rows-to-campaign',
      { spreadsheet_id: 'x', campaign_id: '1', phone_column: "x'}}" },
      'phone_column must be the header of a column',
    ],
    [
      'sheet-rows-to-messaging-daily',
      { spreadsheet_id: 'x', sender_id: 1, messaging_template: 'x', hour: '24' },
      'hour must be an hour from 0 to 23',
    ],
    ['crm-b-appointment-manage-midcall', { timezone: 'Mars/Olympus' }, 'timezone must be a time zone'],
    [
      'post-call-transcript-email',
      { recipient_email: 'x@y.example\r\nBcc: z@y.example' },
      'recipient_email must be an email address',
    ],
  ])('with %s = %j: 422 invalid_param_choice', async (key, params, words) => {
    const answer = await refused(key, { params, assistant_id: 1, confirm_side_effects: true })
    expect([answer.status, answer.error, answer.params]).toEqual([422, 'invalid_param_choice', null])
    expect(answer.message).toContain(words)
  })

  test('without an assistant, a connection or confirmation, with the codes of create', async () => {
    const email = { recipient_email: 'a@b.example' }
    expect(await refused('post-call-transcript-email', { params: email })).toMatchObject({
      status: 422,
      error: 'assistant_required',
      params: null,
    })
    expect(await refused('post-call-callback', {})).toMatchObject({
      status: 422,
      error: 'assistant_required',
      params: null,
    })
    expect(await refused('post-call-transcript-email', { params: email, assistant_id: 99 })).toMatchObject({
      error: 'assistant_not_found',
    })
    expect(await refused('calendar-a-call-before-appointment', { params: { assistant_id: '99' } })).toMatchObject({
      error: 'assistant_not_found',
    })
    expect(await refused('post-call-transcript-email', { params: email, assistant_id: 1 })).toMatchObject({
      error: 'needs_connection',
      params: null,
    })
    const { data } = (await platform.connect('mail')).body
    expect(await refused('post-call-transcript-email', { params: email, assistant_id: 1 })).toMatchObject({
      error: 'side_effects_require_confirmation',
      message: expect.stringContaining(': Send an email.'),
      params: null,
    })
    await platform.api().control('POST', `/control/accounts/1/connections/${data.id}/break`)
    expect(await refused('post-call-transcript-email', { params: email, assistant_id: 1 })).toMatchObject({
      error: 'needs_reconnection',
    })
  })

  test('if the event of the assistant is already taken: 422 binding_conflict', async () => {
    const assistant = await platform.assistant()
    await platform.applied(
      'post-call-messaging-confirmation',
      { sender_id: 1, messaging_template: 'opening_hours' },
      { assistant },
    )
    const answer = await refused('post-call-callback', { assistant_id: assistant, confirm_side_effects: true })
    expect(answer).toMatchObject({ status: 422, error: 'binding_conflict', params: null })
  })

  test('a template is applied with the given name, or its own', async () => {
    const params = { sender_id: 1, messaging_template: 'opening_hours' }
    const [one, two] = [await platform.assistant(), await platform.assistant()]
    const own = (
      await platform.apply('post-call-messaging-confirmation', {
        params,
        assistant_id: one,
        confirm_side_effects: true,
      })
    ).body.automation_id
    const named = (
      await platform.apply('post-call-messaging-confirmation', {
        params,
        assistant_id: two,
        name: 'Mine',
        confirm_side_effects: true,
      })
    ).body.automation_id
    const nameOf = async (id: string) =>
      (await platform.api().ask('GET', `/api/user/automate/flows/${id}`)).body.data.name
    expect([await nameOf(own), await nameOf(named)]).toEqual(['Template message after a call', 'Mine'])
  })
})

test('a template for messages fills all placeholders, by number or name', () => {
  const template = templates.find((one) => one.key === 'post-call-messaging-confirmation') as Template
  const given = {
    sender_id: 1,
    messaging_template: 'visit',
    variable_1: 'Ada',
    variable_2: "{{trigger['duration']}}",
    variable_day: 'Monday',
  }
  const flow = template.flow(resolveParams(template, given, {}), { assistant: 1, now: 0 }) as unknown as {
    steps: { settings: { input: object } }[]
  }
  expect(flow.steps[0]?.settings.input).toMatchObject({
    variables: { 1: 'Ada', 2: "{{trigger['duration']}}", day: 'Monday' },
  })
  const rows = templates.find((one) => one.key === 'sheet-rows-to-messaging-daily') as Template
  const daily = rows.flow(
    resolveParams(
      rows,
      { spreadsheet_id: 's', sender_id: 1, messaging_template: 'visit', name_column: 'Name', column_2: 'Day' },
      {},
    ),
    {
      assistant: null,
      now: 0,
    },
  )
  expect(JSON.stringify(daily)).toContain(
    JSON.stringify({ 1: "{{step_3['item']['values']['Name']}}", 2: "{{step_3['item']['values']['Day']}}" }),
  )
  expect(() =>
    resolveParams(rows, { spreadsheet_id: 's', sender_id: 1, messaging_template: 'visit', row_2: 'Day' }, {}),
  ).toThrow('has no parameter row_2')
})
