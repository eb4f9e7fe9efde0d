import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { localModel } from '../../../src/providers/language-model/local-model.ts'
import { readScript } from '../../../src/providers/language-model/model-script.ts'
import type { ChatMessage, ModelFunction, ModelRequest } from '../../../src/providers/ports/language-model.ts'

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
    const it = model(file)
    expect(await it.reply(turn('a'))).toMatchObject({ text: 'one' })
    writeFileSync(file, '{"intents": [{"when": "a", "say": "two"}]}')
    expect(await it.reply(turn('a'))).toMatchObject({ text: 'two' })
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
