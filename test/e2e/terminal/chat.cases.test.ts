import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { longOnly } from '../../support/case-count.ts'
import { calling } from '../../support/servers/model-server.ts'
import { keys } from '../../support/terminal.ts'
import { filledPlace, parley } from '../support/built-program.ts'
import { historyOf, modelHosts } from '../support/model-hosts.ts'
import { atTerminal } from '../support/program-terminal.ts'

// A chat with an assistant, by hand.

const at = await filledPlace()
const chat = 'conversations chat --assistant 1'

test.each([['/quit', `/quit${keys.enter}`], ...longOnly(['Ctrl-D', keys.ctrlD])])(
  'reads line by line, and exits cleanly with %s',
  async (_, end) => {
    const { exitCode, screen } = await atTerminal(
      chat,
      [
        ['how can I help you?'],
        ['You ', `When are you open?${keys.enter}`],
        ['8:00 to 17:00.'],
        ['You ', `#fail${keys.enter}`],
        ['Failed to process message'],
        ['You ', end],
        ['parley conversations chat'],
      ],
      { at },
    )
    expect([exitCode, screen]).toEqual([0, expect.stringContaining('Assistant')])
  },
)

test('exits with 130 on Ctrl-C, with and without drawing', async () => {
  for (const env of [{}, { TERM: 'dumb' }])
    expect((await atTerminal(chat, [['You ', keys.ctrlC]], { at, env })).exitCode, JSON.stringify(env)).toBe(130)
})

test('talks to the assistant of a file, and continues the conversation in the next chat', async () => {
  expect((await parley('pull', { at })).exitCode).toBe(0)
  const file = 'assistants chat --file parley/assistants/front-desk.yaml --conversation chat.json'
  const booking = 'Book an appointment, day is 2027-03-02, time is 09:30'
  const first = await atTerminal(
    file,
    [
      ['Tools get mock answers.'],
      ['how can I help you?'],
      ['You ', `${booking}${keys.enter}`],
      ['Not called: book_appointment'],
      ['You ', keys.ctrlD],
    ],
    { at },
  )
  expect(first.exitCode).toBe(0)
  const again = await atTerminal(
    file,
    [
      ['Customer   Book an appointment'],
      ['You ', `/history${keys.enter}`],
      ['I used book_appointment'],
      ['You ', keys.ctrlD],
    ],
    { at },
  )
  expect(again.exitCode).toBe(0)
})

test('resumes with the earlier messages, which the arrow keys recall', async () => {
  const first = await atTerminal(
    chat,
    [['You ', `Hello${keys.enter}`], ['Hello! How can'], ['You ', keys.ctrlD], ['Resume this conversation:']],
    { at },
  )
  const [, id] = /conversations chat ([0-9a-f-]{36})/.exec(first.screen) ?? []
  const { exitCode } = await atTerminal(
    `conversations chat ${id}`,
    [
      ['Customer   Hello'],
      ['Hello! How can'],
      ['You ', `\x1b[A${keys.enter}`],
      ['Hello! How can'],
      ['You ', keys.ctrlD],
    ],
    { at },
  )
  expect(exitCode).toBe(0)
})

test('accepts messages of several lines, runs commands, and refuses unknown ones', async () => {
  const { screen } = await atTerminal(
    chat,
    [
      ['You ', `Hello \\${keys.enter}`],
      ['... ', `there${keys.enter}`],
      ['Hello! How can I help you?'],
      ['You ', `"""${keys.enter}`],
      ['... ', `first${keys.enter}`],
      ['... ', `second${keys.enter}`],
      ['... ', `"""${keys.enter}`],
      ['You wrote: "first'],
      ['You ', `/cost${keys.enter}`],
      ['0.00 USD, 5 messages.'],
      ['You ', `/vars${keys.enter}`],
      ['has no variables'],
      ['You ', `/nothing${keys.enter}`],
      ['Unknown command /nothing'],
      ['You ', `/help${keys.enter}`],
      ['/history'],
      ['You ', `/history${keys.enter}`],
      ['Customer   first'],
      ['You ', `/end${keys.enter}`],
      ['Conversation ended'],
    ],
    { at },
  )
  expect(screen).toContain('/end       End the conversation')
})

describe('with a language model behind the server', () => {
  const hosts = modelHosts()

  test('an assistant with a tool uses it in a chat: functions and text are shown before the reply ends', async () => {
    const { place, server } = await hosts.served()
    hosts.outside.answer(() => ({ body: { state: 'on its way' } }))
    let finish = (): void => {}
    const held = new Promise<void>((done) => {
      finish = done
    })
    hosts.model.answer((_, n) =>
      n === 0
        ? [{ say: 'Let me look. ' }, ...calling('order_state', { order: 'AB 7' })]
        : [{ say: 'Your order is ' }, { say: 'on ' }, { until: held }, { say: 'its way.' }],
    )
    const { exitCode, screen } = await atTerminal(
      `conversations chat --assistant 2 --transcript chat.txt`,
      [
        ['You ', `Where is AB 7?${keys.enter}`],
        ['Assistant  Let me look.'],
        ['ran order_state {"order":"AB 7"}'],
        ['returned {"state":"on its way"}'],
        // The end of the reply is sent only when its beginning is on the screen.
        ['Assistant  Your order is on', () => finish()],
        ['its way.'],
        ['You ', keys.ctrlD],
        ['Resume this conversation:'],
      ],
      { at: place },
    )
    expect(exitCode).toBe(0)
    expect(hosts.outside.got.map((it) => it.url)).toEqual(['/orders/AB%207'])
    expect(hosts.model.requests[0]?.authorization).toBe('Bearer sk-secret-of-the-model')
    const [, id = ''] = /conversations chat ([0-9a-f-]{36})/.exec(screen) ?? []
    expect((await historyOf(place, id)).at(-1)).toEqual({
      role: 'assistant',
      content: 'Let me look.\n\nYour order is on its way.',
      function_calls: [{ name: 'order_state', arguments: { order: 'AB 7' }, result: { state: 'on its way' } }],
    })
    expect(readFileSync(join(place.dir, 'chat.txt'), 'utf8')).toContain('ran order_state {"order":"AB 7"}')
    const status = await parley('server status --json', { at: place })
    expect(status.stdout).toContain(`small at ${hosts.model.url}`)
    expect(server.process.stdout() + server.process.stderr() + status.stdout).not.toContain('sk-secret')
  })

  test('Ctrl-C during a reply ends the chat immediately, with a note that the message may have arrived and how to resume', async () => {
    const { place } = await hosts.served()
    hosts.model.answer(() => [{ say: 'Once upon a ' }, 'silence'])
    const { exitCode, screen } = await atTerminal(
      'conversations chat --assistant 2 --transcript chat.txt',
      [
        ['You ', `Tell me a story${keys.enter}`],
        ['Assistant  Once upon'],
        ['', keys.ctrlC],
        ['Resume this conversation:'],
        ['parley ops reconcile'],
      ],
      { at: place },
    )
    expect([exitCode, screen.includes('Once upon')]).toEqual([12, true])
    expect(readFileSync(join(place.dir, 'chat.txt'), 'utf8')).toContain('Customer: Tell me a story')
  })
})
