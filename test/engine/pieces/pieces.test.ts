import { afterAll, describe, expect, test } from 'vitest'
import { pieces } from '../../../src/engine/pieces/registry.ts'
import { createSandbox } from '../../../src/engine/sandbox/create-sandbox.ts'
import { branch, code, loop, piece, respond } from '../../support/automation-nodes.ts'
import { createFakePorts, outputOf, runStep } from './fake-ports.ts'

const day = Date.UTC(2031, 0, 1) * 1000
const second = 1_000_000

describe('conditions', () => {
  const holds = async (conditions: unknown): Promise<unknown> =>
    ((await outputOf(branch(conditions))) as { condition: boolean }).condition
  const one = (operator: string, firstValue: unknown, secondValue?: unknown, caseSensitive?: boolean) =>
    holds([[{ operator, firstValue, secondValue, caseSensitive }]])

  test.each<[string, unknown, unknown, boolean]>([
    ['TEXT_CONTAINS', 'Hello World', 'WORLD', true],
    ['TEXT_CONTAINS', 'Hello', 'x', false],
    ['TEXT_DOES_NOT_CONTAIN', 'Hello', 'x', true],
    ['TEXT_EXACTLY_MATCHES', 'Yes', 'yes', true],
    ['TEXT_EXACTLY_MATCHES', true, 'true', true],
    ['TEXT_EXACTLY_MATCHES', { a: 1 }, '{"a":1}', true],
    ['TEXT_DOES_NOT_EXACTLY_MATCH', 'a', 'b', true],
    ['TEXT_START_WITH', '+4912', '+49', true],
    ['TEXT_DOES_NOT_START_WITH', '+4912', '+1', true],
    ['TEXT_ENDS_WITH', 'a.test', '.TEST', true],
    ['TEXT_DOES_NOT_END_WITH', 'a.test', '.com', true],
    ['NUMBER_IS_GREATER_THAN', '10', '9', true],
    ['NUMBER_IS_GREATER_THAN', 'abc', '9', false],
    ['NUMBER_IS_LESS_THAN', '', 5, true],
    ['NUMBER_IS_LESS_THAN', 4, '5', true],
    ['NUMBER_IS_EQUAL_TO', '5.0', 5, true],
    ['NUMBER_IS_EQUAL_TO', '9007199254740993', '9007199254740992', false],
    ['NUMBER_IS_EQUAL_TO', '9007199254740993', ' 9007199254740993', true],
    ['NUMBER_IS_GREATER_THAN', '9007199254740993', '9007199254740992', true],
    ['NUMBER_IS_LESS_THAN', '5.5', '9007199254740993', true],
    ['NUMBER_IS_EQUAL_TO', { toString: 5, valueOf: 6 }, 5, false],
    ['BOOLEAN_IS_TRUE', true, undefined, true],
    ['BOOLEAN_IS_TRUE', 'false', undefined, true],
    ['BOOLEAN_IS_FALSE', '', undefined, true],
    ['EXISTS', 0, undefined, true],
    ['EXISTS', '', undefined, false],
    ['EXISTS', null, undefined, false],
    ['DOES_NOT_EXIST', undefined, undefined, true],
    ['DATE_IS_BEFORE', '2031-01-01', '2031-01-02T00:00:00Z', true],
    ['DATE_IS_AFTER', '2031-01-02', '2031-01-01', true],
    ['DATE_IS_EQUAL', '2031-01-01T01:00:00+01:00', '2031-01-01T00:00:00Z', true],
    ['DATE_IS_BEFORE', 'never', '2031-01-01', false],
    ['LIST_CONTAINS', ['A', 'b'], 'a', true],
    ['LIST_CONTAINS', '["a","b"]', 'b', true],
    ['LIST_CONTAINS', 'a', 'a', true],
    ['LIST_DOES_NOT_CONTAIN', ['a'], 'b', true],
    ['LIST_IS_EMPTY', [], undefined, true],
    ['LIST_IS_EMPTY', '[]', undefined, true],
    ['LIST_IS_EMPTY', [1], undefined, false],
    ...['', 'text', null, undefined, {}, '{}', 5].flatMap((none): [string, unknown, unknown, boolean][] => [
      ['LIST_IS_EMPTY', none, undefined, false],
      ['LIST_IS_NOT_EMPTY', none, undefined, false],
    ]),
    ['LIST_IS_NOT_EMPTY', '[1]', undefined, true],
    ['LIST_IS_NOT_EMPTY', [null], undefined, true],
    ['LIST_IS_NOT_EMPTY', [], undefined, false],
  ])('%s of %j and %j is %s', async (operator, first, second, expected) => {
    expect(await one(operator, first, second)).toBe(expected)
  })

  test('are case-sensitive on request', async () => {
    expect(await one('TEXT_EXACTLY_MATCHES', 'Yes', 'yes', true)).toBe(false)
    expect(await one('LIST_CONTAINS', ['A'], 'a', true)).toBe(false)
  })

  test('are true if all conditions of any group are true', async () => {
    const yes = { operator: 'EXISTS', firstValue: '1' }
    const no = { operator: 'EXISTS', firstValue: '' }
    expect(await holds([[yes, no], [yes]])).toBe(true)
    expect(await holds([[yes, no], [no]])).toBe(false)
    expect(await holds([])).toBe(false)
    expect(await holds([[]])).toBe(true)
  })

  test('that are unknown fail the step', async () => {
    await expect(one('constructor', 'a')).rejects.toThrow('conditions[0][0].operator')
  })
})

describe('a loop', () => {
  test('requires a list', async () => {
    expect(await outputOf(loop([1, 2]))).toEqual({ items: [1, 2] })
    for (const items of ['', 'text', 5, {}, null])
      await expect(runStep(loop(items))).rejects.toThrow('items must be a list')
  })
})

describe('a delay', () => {
  const delay = (input: object) => piece('@engine/piece-delay', 'delayFor', input)
  const until = (delayUntilTimestamp: unknown) => piece('@engine/piece-delay', 'delay_until', { delayUntilTimestamp })

  test.each([
    ['seconds', 5, 5],
    ['minutes', '10', 600],
    ['hours', 1.5, 5400],
    ['days', 3, 259_200],
  ])('of %s pauses the run until then', async (unit, delayFor, seconds) => {
    expect(await runStep(delay({ unit, delayFor }))).toMatchObject({ kind: 'pause', until: day + seconds * second })
  })

  test('ends when its time has come', async () => {
    expect(await runStep(delay({ unit: 'days', delayFor: 3 }), undefined, { resumed: {}, now: day })).toEqual({
      kind: 'done',
      output: { delayForInMs: 259_200_000, success: true },
    })
    expect(await runStep(delay({ unit: 'seconds', delayFor: 0 }))).toMatchObject({ kind: 'done' })
    expect(await runStep(until('2030-01-01T00:00:00Z'))).toMatchObject({ kind: 'done' })
  })

  test('until a date uses time zones', async () => {
    expect(await runStep(until('2031-01-02T01:00:00+01:00'))).toMatchObject({
      kind: 'pause',
      until: Date.UTC(2031, 0, 2) * 1000,
    })
    expect(await runStep(until('2031-01-02 00:00'))).toMatchObject({ until: Date.UTC(2031, 0, 2) * 1000 })
  })

  test.each([
    delay({ unit: 'days', delayFor: -1 }),
    delay({ unit: 'days', delayFor: '' }),
    delay({ unit: 'days', delayFor: 1e9 }),
    until('soon'),
    until('2031-02-30'),
    until(''),
    until('9999-01-01'),
  ])('%j fails with a clear error', async (node) => {
    await expect(runStep(node)).rejects.toThrow(/delay/i)
  })
})

describe('a response to the caller', () => {
  test('is accepted in each form of the engine', async () => {
    const answer = { kind: 'respond', status: 201, headers: { 'X-A': '1' }, body: { a: 1 }, stop: true }
    expect(await runStep(respond({ status: '201', headers: { 'X-A': 1 }, body: { a: 1 } }))).toMatchObject(answer)
    expect(
      await runStep(
        piece('@engine/piece-webhook', 'return_response', {
          body: { status: 201, headers: { 'X-A': '1' }, data: { a: 1 } },
        }),
      ),
    ).toMatchObject(answer)
    expect(
      await runStep(
        piece('@activepieces/piece-http', 'return_response', {
          status: 201,
          headers: { 'X-A': '1' },
          body: { data: { a: 1 } },
        }),
      ),
    ).toMatchObject({ body: { a: 1 } })
    expect(
      await runStep(
        piece('@activepieces/piece-http', 'return_response', {
          status: 201,
          headers: { 'X-A': '1' },
          body_type: 'json',
          body: { a: 1 },
        }),
      ),
    ).toMatchObject(answer)
    expect(await runStep(respond({ body: '{"a": 1}' }))).toMatchObject({ body: { a: 1 } })
  })

  test('can be text, a redirect, or sent while the run continues', async () => {
    const as = (responseType: string, fields: object, more: object = {}) =>
      runStep(piece('@engine/piece-webhook', 'return_response', { responseType, fields, ...more }))
    expect(await as('raw', { body: 'plain' })).toMatchObject({ body: 'plain' })
    expect(await as('redirect', { body: 'a.test/x' })).toMatchObject({
      status: 301,
      headers: { location: 'https://a.test/x' },
    })
    expect(await as('json', { body: {} }, { respond: 'respond' })).toMatchObject({ stop: false })
    await expect(as('json', { body: '{' })).rejects.toThrow('not valid JSON')
    await expect(as('json', { status: 42 })).rejects.toThrow('status')
  })

  test('before a call is a flat object of texts', async () => {
    const given = (variables: unknown) => piece('@platform/piece-platform', 'respondToCall', { variables })
    expect(await runStep(given({ name: 'Ada', n: 1, ok: true, none: null }))).toMatchObject({
      body: { name: 'Ada', n: '1', ok: 'true', none: '' },
      stop: true,
    })
    await expect(runStep(given({ a: { b: 1 } }))).rejects.toThrow('a is not a text')
  })

  test('can wait for a callback', async () => {
    const node = piece('@engine/piece-webhook', 'return_response_and_wait_for_next_webhook', {
      fields: { body: { a: 1 } },
    })
    expect(await runStep(node)).toMatchObject({ kind: 'respond', stop: false, waits: true })
    expect(await runStep(node, undefined, { resumed: { payload: { body: 'x' } } })).toEqual({
      kind: 'done',
      output: { body: 'x' },
    })
  })
})

describe('stored values', () => {
  const store = (action: string, input: object) => piece('@engine/piece-store', action, { key: 'k', ...input })

  test('are stored, appended to, collected and removed', async () => {
    const fakes = createFakePorts()
    expect(await outputOf(store('get', { defaultValue: 0 }), fakes)).toBe(0)
    await runStep(store('put', { value: 'a' }), fakes)
    expect(await outputOf(store('append', { value: 'b', separator: ', ' }), fakes)).toBe('a, b')
    await runStep(store('put', { key: 'l', value: ['a'] }), fakes)
    await runStep(store('add_to_list', { key: 'l', value: 'a', ignore_if_exists: true }), fakes)
    expect(await outputOf(store('add_to_list', { key: 'l', value: 'b' }), fakes)).toEqual(['a', 'b'])
    expect(await outputOf(store('remove_from_list', { key: 'l', value: 'a' }), fakes)).toEqual(['b'])
    await runStep(store('remove_value', { key: 'l' }), fakes)
    expect(await outputOf(store('get', { key: 'l' }), fakes)).toBeNull()
  })

  test('belong to the account, the automation or the run', async () => {
    const fakes = createFakePorts()
    for (const store_scope of ['COLLECTION', 'FLOW', 'RUN'])
      await runStep(store('put', { store_scope, value: 1 }), fakes)
    expect([...fakes.saved.keys()].map((it) => (JSON.parse(it) as [object])[0])).toEqual([
      { account: 3, owner: { kind: 'account' } },
      { account: 3, owner: { kind: 'automation', id: 'auto' } },
      { account: 3, owner: { kind: 'run', id: 'run' } },
    ])
  })

  test('have limits', async () => {
    await expect(runStep(store('put', { key: 'k'.repeat(129), value: 1 }))).rejects.toThrow('key must be at most 128')
    await expect(runStep(store('put', { value: 'x'.repeat(512 * 1024) }))).rejects.toThrow('512 KB')
  })
})

describe('code', () => {
  const sandbox = createSandbox({ threads: 1 })
  afterAll(() => sandbox.close())

  test('runs with its inputs and the time of the platform, and its log lines are saved', async () => {
    const lines: string[] = []
    const source =
      'export const code = async (inputs) => { console.log("seen", inputs.n); return { n: inputs.n + 1, year: new Date().getUTCFullYear() } }'
    expect(await outputOf(code(source, { n: 1 }), undefined, { log: (it) => lines.push(it) }, sandbox)).toEqual({
      n: 2,
      year: 2031,
    })
    expect(lines).toEqual(['seen 1'])
  })

  test('that throws fails the step with its message', async () => {
    await expect(
      runStep(code('export const code = () => { throw new Error("no stock") }'), undefined, {}, sandbox),
    ).rejects.toMatchObject({
      name: 'StepFailure',
      message: 'Error: no stock (line 1)',
      mayRetry: true,
    })
  })
})

const act = { account: 3, key: 'run:step_1' }
const platform = (action: string, input: object) => piece('@platform/piece-platform', action, input)

test.each<[string, ReturnType<typeof piece>, unknown[]]>([
  [
    'an SMS',
    platform('sendSms', { from: '5', to: '+15550100', body: 'Hi' }),
    ['sms.send', act, { from: 5, to: '+15550100', body: 'Hi' }],
  ],
  [
    'a template',
    platform('sendTemplate', { sender: 2, template: '7', to: '+15550100', variables: { 1: 'Ada', 2: 5 } }),
    ['messaging.sendTemplate', act, { sender: 2, template: 7, to: '+15550100', variables: { 1: 'Ada', 2: '5' } }],
  ],
  [
    'a template by name',
    platform('sendTemplate', { sender: 2, template: 'welcome', to: '+15550100' }),
    ['messaging.sendTemplate', act, { sender: 2, template: 'welcome', to: '+15550100', variables: {} }],
  ],
  [
    'a call',
    platform('makePhoneCall', { assistant: 4, phone_number: '+15550100', variables: '{"a": 1}' }),
    ['calls.start', act, { assistant: 4, phone: '+15550100', variables: { a: 1 } }],
  ],
  [
    'a lead',
    platform('addLead', { campaign: 9, phone_number: '+15550100', allow_dupplicate: 'true' }),
    ['leads.add', act, { campaign: 9, phone: '+15550100', variables: {}, allowDuplicate: true, secondary: [] }],
  ],
  ['a lead again', platform('requeueLead', { lead: '11' }), ['leads.requeue', act, { id: 11 }, {}]],
  [
    'a lead by its number',
    platform('requeueLead', { campaign: 9, phone_number: '+15550100', lead: '' }),
    ['leads.requeue', act, { campaign: 9, phone: '+15550100' }, {}],
  ],
  [
    'a row',
    piece('@engine/piece-spreadsheet', 'insert_row', { spreadsheet_id: 's', values: { A: 1, B: null } }),
    ['sheets.append', act, { spreadsheet: 's', sheet: undefined }, { A: '1', B: '' }],
  ],
  [
    'a row of a list',
    piece('@activepieces/piece-google-sheets', 'insert_row', { spreadsheetId: 's', sheetId: 't', values: ['x', 'y'] }),
    ['sheets.append', act, { spreadsheet: 's', sheet: 't' }, { A: 'x', B: 'y' }],
  ],
  [
    'a booking',
    piece('@engine/piece-calendar-b', 'create_booking', {
      event: 'e',
      start: '2031-01-02T10:00:00+01:00',
      timezone: 'Europe/Paris',
      name: 'Ada',
    }),
    [
      'calendarB.book',
      act,
      {
        event: 'e',
        start: '2031-01-02T09:00:00.000Z',
        timezone: 'Europe/Paris',
        name: 'Ada',
        email: undefined,
        phone: undefined,
        notes: undefined,
      },
    ],
  ],
  [
    'a booking moved',
    piece('@engine/piece-calendar-a', 'reschedule_booking', { id: 12, start: '2031-01-02T10:00:00Z' }),
    ['calendarA.move', act, '12', '2031-01-02T10:00:00.000Z', 'UTC'],
  ],
  ['a booking cancelled', piece('@engine/piece-crm-b', 'cancel_booking', { id: 'x' }), ['crmB.cancel', act, 'x', '']],
  [
    'a contact',
    piece('@activepieces/piece-lead-connector', 'create_contact', { phone: '+15550100', tags: 'a, b' }),
    ['crmB.saveContact', act, { phone: '+15550100', tags: ['a', 'b'], fields: {} }],
  ],
])('%s is asked of its port under the key of the step', async (_, node, expected) => {
  const fakes = createFakePorts({ 'sheets.append': { number: 2, values: {} } })
  await runStep(node, fakes)
  expect(fakes.asked).toEqual([expected])
})

test.each([
  [['a@x.test', 'b@x.test'], 'a@x.test, b@x.test'],
  [[], undefined],
  ['a@x.test', 'a@x.test'],
])('a mail has the reply address %j', async (reply_to, replyTo) => {
  const fakes = createFakePorts({ 'mail.send': { id: 'm1' } })
  await runStep(
    piece('@activepieces/piece-gmail', 'send_email', { receiver: ['c@x.test'], subject: 's', body: 'b', reply_to }),
    fakes,
  )
  expect(fakes.asked).toMatchObject([['mail.send', {}, { replyTo }]])
})

test('a mail is sent to its recipients, without injected headers', async () => {
  const fakes = createFakePorts({ 'mail.send': { id: 'm1' } })
  const input = {
    receiver: 'a@x.test, b@x.test',
    subject: 'Hi\r\nBcc: evil@x.test',
    body: 'Text',
    cc: ['Ada <ada@x.test>'],
  }
  await runStep(piece('@activepieces/piece-gmail', 'send_email', input), fakes)
  expect(fakes.asked[0]).toEqual([
    'mail.send',
    act,
    {
      to: ['a@x.test', 'b@x.test'],
      cc: ['Ada <ada@x.test>'],
      bcc: [],
      subject: 'Hi Bcc: evil@x.test',
      text: 'Text',
      replyTo: undefined,
      senderName: undefined,
    },
  ])
  await expect(runStep(piece('@engine/piece-mail', 'send_email', { subject: 'x' }))).rejects.toThrow(
    'receiver is required',
  )
  await expect(runStep(piece('@engine/piece-mail', 'send_email', { receiver: 'nobody' }))).rejects.toThrow(
    'must be email addresses',
  )
})

test('rows are found by their cells on all pages', async () => {
  const rows = Array.from({ length: 2500 }, (_, n) => ({
    number: n + 2,
    values: { Name: n % 1000 === 999 ? 'Ada' : 'x' },
  }))
  const fakes = createFakePorts({
    'sheets.rows': (_: number, __: object, after: number, limit: number) =>
      rows.filter((it) => it.number > after).slice(0, limit),
  })
  const node = piece('@engine/piece-spreadsheet', 'find_rows', {
    spreadsheet_id: 's',
    columnName: 'Name',
    searchValue: 'ada',
    numberOfRows: 5,
  })
  expect(await outputOf(node, fakes)).toEqual([
    { row: 1001, values: { Name: 'Ada' } },
    { row: 2001, values: { Name: 'Ada' } },
  ])
})

test('rows are not searched in a missing column, because a caller that continues from the last row would skip them', async () => {
  const rows = [{ number: 2, values: { phone: '+14155550123', name: 'Ada' } }]
  const fakes = createFakePorts({
    'sheets.rows': (_: number, __: object, after: number) => rows.filter((it) => it.number > after),
  })
  const find = (columnName: string, startingRow = 2) =>
    piece('@engine/piece-spreadsheet', 'find_rows', { spreadsheet_id: 's', columnName, searchValue: '', startingRow })
  await expect(runStep(find('Phone'), fakes)).rejects.toMatchObject({
    message: 'The spreadsheet has no column Phone. Its columns are phone, name.',
    classification: 'missing_record',
  })
  expect(await outputOf(find('phone'), fakes)).toEqual([{ row: 2, values: rows[0]?.values }])
  expect(await outputOf(find('Phone', 3), fakes)).toEqual([])
})

test('an appointment search returns whether there are any', async () => {
  const booking = { id: '1', start: '2031-01-02T10:00:00Z' }
  const node = piece('@engine/piece-calendar-a', 'find_bookings', { email: 'a@x.test', from: '2031-01-01' })
  expect(await outputOf(node, createFakePorts({ 'calendarA.find': [booking] }))).toEqual({
    found: true,
    count: 1,
    booking,
    bookings: [booking],
  })
  expect(await outputOf(node, createFakePorts({ 'calendarA.find': [] }))).toEqual({
    found: false,
    count: 0,
    booking: null,
    bookings: [],
  })
})

test.each(['missing', 'expired'])('a connection that is %s fails the step before anything is done', async (status) => {
  const fakes = createFakePorts({ 'connection spreadsheet': { status } })
  await expect(
    runStep(piece('@engine/piece-spreadsheet', 'insert_row', { spreadsheet_id: 's', values: {} }), fakes),
  ).rejects.toMatchObject({
    classification: 'missing_connection',
  })
  expect(fakes.asked).toEqual([])
})

test('all missing inputs are named', async () => {
  await expect(runStep(platform('sendSms', { from: '', to: '' }))).rejects.toThrow(
    'from is required. to is required. body is required.',
  )
})

test('every action and trigger has a description', () => {
  for (const { names, actions, triggers } of pieces) {
    expect(names.length).toBeGreaterThan(0)
    for (const { title } of [...Object.values(actions), ...Object.values(triggers)]) expect(title).toMatch(/^[A-Z]/)
  }
})
