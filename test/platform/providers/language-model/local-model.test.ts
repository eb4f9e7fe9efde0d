import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { ChatMessage, ModelFunction, ModelRequest } from '../../../../src/engine/ports.ts'
import { localModel } from '../../../../src/platform/providers/language-model/local-model.ts'
import { readScript } from '../../../../src/platform/providers/language-model/model-script.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-script-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const param = (type: string, description: string) => ({ type, description })
const book: ModelFunction = {
  name: 'book_table',
  description: 'Reserve a table in the restaurant for some guests.',
  parameters: {
    type: 'object',
    properties: {
      guests: param('number', 'How many come'),
      date: param('string', 'Day, YYYY-MM-DD'),
      email: param('string', 'Email address'),
      outside: param('boolean', 'In the garden'),
    },
    required: ['guests', 'date'],
  },
  run: async (args) => ({ booked: args }),
}
const find: ModelFunction = {
  name: 'find_order',
  description: 'Look up the state of an order.',
  parameters: { type: 'object', properties: { order: param('string', 'Number of the order') }, required: ['order'] },
  run: async ({ order }) => ({ order, state: 'on its way' }),
}

const model = (script?: string) => localModel(script === undefined ? {} : { script: () => readScript(script) })
const turn = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  account: 1,
  models: ['Fast'],
  temperature: 0,
  assistant: 'Desk',
  instructions: '',
  variables: { first_name: 'Anna' },
  messages: [{ role: 'user', content: text }],
  functions: [find, book],
  ...more,
})
let n = 0
function scriptOf(text: string): string {
  const file = join(folder, `${++n}.yaml`)
  writeFileSync(file, text)
  return file
}

describe('the local model', () => {
  test('describes itself, and repeats what it does not understand', async () => {
    expect(model()).toMatchObject({ name: 'local', description: expect.stringContaining('Simulated language model.') })
    expect(await model().reply(turn('Xyzzy', { functions: [] }))).toMatchObject({
      ok: true,
      text: expect.stringContaining('no language model is configured'),
    })
  })

  test('selects a function by its description, and takes its arguments from the message', async () => {
    const reply = await model().reply(
      turn('Please reserve a table for 4 guests on 2026-09-01, mail me at anna@example.com, yes outside'),
    )
    expect(reply).toMatchObject({
      calls: [
        { name: 'book_table', arguments: { guests: 4, date: '2026-09-01', email: 'anna@example.com', outside: true } },
      ],
    })
    expect(await model().reply(turn('What is the state of my order AB-77?'))).toMatchObject({
      text: 'I used find_order: order AB-77, state on its way.',
      calls: [{ name: 'find_order', arguments: { order: 'AB-77' } }],
    })
    expect(await model().reply(turn('Hello there'))).toMatchObject({ text: 'Hello! How can I help you?', calls: [] })
  })

  test('takes a choice that the description lists, and leaves what is said about other parameters', async () => {
    const reserve: ModelFunction = {
      ...book,
      name: 'reserve_room',
      description: 'Reserve a room for a guest.',
      parameters: {
        type: 'object',
        properties: {
          room_type: param('string', 'Room type, single, double or suite'),
          nights: param('number', 'Number of nights'),
        },
        required: ['room_type', 'nights'],
      },
    }
    expect(
      await model().reply(turn('Please reserve a double room, nights is 2', { functions: [reserve] })),
    ).toMatchObject({
      calls: [{ arguments: { room_type: 'double', nights: 2 } }],
    })
  })

  test('calls the only function that a distinctive word names, and takes no time for a text', async () => {
    const taxi: ModelFunction = {
      ...find,
      name: 'order_taxi',
      description: 'Order a taxi for a guest.',
      parameters: {
        type: 'object',
        properties: { pickup_time: param('string', 'Time, HH:MM'), destination: param('string', 'Destination') },
        required: ['pickup_time', 'destination'],
      },
    }
    expect(
      await model().reply(turn('I need a taxi to the airport at 07:30', { functions: [taxi, book] })),
    ).toMatchObject({
      calls: [{ name: 'order_taxi', arguments: { pickup_time: '07:30', destination: 'airport' } }],
    })
    const spa = { ...find, name: 'transfer_to_spa', description: 'When the guest asks for a massage', parameters: {} }
    expect(await model().reply(turn('I would like to book a massage', { functions: [book, spa] }))).toMatchObject({
      calls: [{ name: 'transfer_to_spa' }],
    })
    expect(await model().reply(turn('Massage or table?', { functions: [book, spa] }))).toMatchObject({ calls: [] })
  })

  test('searches the knowledge base for a question that nothing else answers', async () => {
    const search = {
      ...find,
      name: 'search_knowledge_base',
      description: 'Search the knowledge base.',
      parameters: { type: 'object', properties: { query: param('string', 'What to search for') }, required: ['query'] },
    }
    const functions = [book, search]
    expect(await model().reply(turn('When is breakfast served?', { functions }))).toMatchObject({
      calls: [{ name: 'search_knowledge_base', arguments: { query: 'breakfast served' } }],
    })
    expect(await model().reply(turn('I had breakfast.', { functions }))).toMatchObject({ calls: [] })
    expect(await model().reply(turn('When does the pool open?', { functions }))).toMatchObject({ calls: [{}] })
    expect(await model().reply(turn('When are you open on Sundays?', { functions }))).toMatchObject({ calls: [] })
    expect(await model().reply(turn('Hello, how are you?', { functions: [book] }))).toMatchObject({ calls: [] })
  })

  test('writes a date and a time in the form that a calendar takes', async () => {
    const iso = 'ISO 8601 date and time with time zone'
    const calendar = (name: string, properties: object): ModelFunction => ({
      ...find,
      name: `calendar_${name}`,
      description: 'When the guest wants to book a massage',
      parameters: { type: 'object', properties, required: Object.keys(properties) },
    })
    const functions = [
      calendar('find_appointments', { from: param('string', `Start: ${iso}`), until: param('string', `End: ${iso}`) }),
      calendar('book_appointment', { start: param('string', `Start: ${iso}`) }),
    ]
    expect(await model().reply(turn('I want to book a massage on 2027-03-03 at 9:15', { functions }))).toMatchObject({
      calls: [{ name: 'calendar_book_appointment', arguments: { start: '2027-03-03T09:15:00Z' } }],
    })
    expect(await model().reply(turn('Find appointments of 2027-03-03', { functions }))).toMatchObject({
      calls: [{ arguments: { from: '2027-03-03T00:00:00Z', until: '2027-03-03T23:59:00Z' } }],
    })
    expect(await model().reply(turn('Book a massage on 2027-03-03', { functions }))).toMatchObject({ calls: [] })
  })

  test('asks for missing required arguments of a function, and continues with the answer', async () => {
    const said: ChatMessage[] = [{ role: 'user', content: 'I want to reserve a table for 4 guests' }]
    const asked = await model().reply(turn('', { messages: said }))
    expect(asked).toMatchObject({
      ok: true,
      text: 'To use book_table, I need more information: Day, YYYY-MM-DD',
      calls: [],
    })
    said.push(
      { role: 'assistant', content: 'To use book_table, I need more information: Day, YYYY-MM-DD' },
      { role: 'user', content: 'tomorrow' },
    )
    expect(await model().reply(turn('', { messages: said }))).toMatchObject({
      calls: [{ name: 'book_table', arguments: { guests: 4, date: 'tomorrow' } }],
    })
  })

  test.each(['Bye!', 'Thank you', 'never mind'])('drops its question when the customer says "%s"', async (content) => {
    const said: ChatMessage[] = [
      { role: 'user', content: 'I want to reserve a table for 4 guests' },
      { role: 'assistant', content: 'To use book_table, I need more information: Day, YYYY-MM-DD' },
      { role: 'user', content },
    ]
    expect(await model().reply(turn('', { messages: said }))).toMatchObject({
      ok: true,
      text: expect.not.stringContaining('I need more information'),
      calls: [],
    })
  })

  test('reports the failure of a function', async () => {
    const failing = { ...find, run: async () => ({ error: 'The server answered 500.' }) }
    expect(await model().reply(turn('find order 7', { functions: [failing] }))).toMatchObject({
      ok: true,
      text: 'I could not use find_order: The server answered 500.',
    })
  })

  test('streams its reply in parts that add up to the whole', async () => {
    const pieces: string[] = []
    const reply = await model().reply(turn('Hello', { onText: (it) => pieces.push(it) }))
    expect(pieces.length).toBeGreaterThan(2)
    expect(reply).toMatchObject({ text: pieces.join('') })
  })
})

describe('a script of intents', () => {
  const script = scriptOf(`
intents:
  - when: [refund, money back]
    say: Refunds take five days, {{first_name}}.
  - when: /order (?<number>[A-Z]+-\\d+)/
    call: find_order
    with: { order: "{{1}}" }
    say: "Order {{1}} is {{result.state}}."
  - when: crash
    fail: The script says so.
  - when: hello
    assistant: Night desk
    say: Good night.
otherwise: Pardon, {{first_name}}?
`)
  const say = (text: string, more: Partial<ModelRequest> = {}) => model(script).reply(turn(text, more))

  test('takes precedence over built-in replies: words, patterns, functions with arguments, failures', async () => {
    expect(await say('I want my MONEY  back!')).toMatchObject({ text: 'Refunds take five days, Anna.', calls: [] })
    expect(await say('Where is order AB-77?')).toMatchObject({
      text: 'Order AB-77 is on its way.',
      calls: [{ name: 'find_order', arguments: { order: 'AB-77' } }],
    })
    expect(await say('crash')).toEqual({ ok: false, reason: 'The script says so.' })
    expect(await say('refunds')).toMatchObject({ text: 'Pardon, Anna?' })
  })

  test('can apply to one assistant', async () => {
    expect(await say('hello')).toMatchObject({ text: 'Hello! How can I help you?' })
    expect(await say('hello', { assistant: 'Night desk' })).toMatchObject({ text: 'Good night.' })
  })

  test('is read again after a change', async () => {
    const file = scriptOf('{"intents": [{"when": "a", "say": "one"}]}')
    const scripted = model(file)
    expect(await scripted.reply(turn('a'))).toMatchObject({ text: 'one' })
    writeFileSync(file, '{"intents": [{"when": "a", "say": "two"}]}')
    expect(await scripted.reply(turn('a'))).toMatchObject({ text: 'two' })
  })

  test.each([
    ['is missing', undefined, 'file not found.'],
    ['is no YAML', 'intents: [', 'could not be read: '],
    ['has an unknown word', 'intents: [{when: a, says: b}]', 'at intents.0: '],
    ['does nothing', 'intents: [{when: a}]', 'one of say, call and fail is required'],
    ['has an invalid pattern', 'intents: [{when: "/(/", say: b}]', 'Invalid regular expression'],
  ])('that %s is refused with what is wrong', async (_, text, words) => {
    await expect(readScript(text === undefined ? join(folder, 'none.yaml') : scriptOf(text))).rejects.toThrow(words)
  })
})
