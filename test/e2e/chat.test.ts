import { expect, test } from 'vitest'
import { keys } from '../terminal.ts'
import { newPlace } from './program.ts'
import { atTerminal } from './terminal.ts'

// A chat with an assistant, by hand.

const at = newPlace()
const chat = 'conversations chat --assistant 1'

test.each([
  ['/quit', `/quit${keys.enter}`],
  ['Ctrl-D', keys.ctrlD],
])('goes line by line, and ends well with %s', async (_, end) => {
  const { exitCode, screen } = await atTerminal(
    chat,
    [
      ['how can I help you?'],
      ['You ', `When are you open?${keys.enter}`],
      ['8:00 to 17:00.'],
      ['You ', `#fail${keys.enter}`],
      ['Failed to process message'],
      ['You ', end],
      ['Go on with it: parley conversations chat'],
    ],
    { at },
  )
  expect([exitCode, screen]).toEqual([0, expect.stringContaining('Assistant')])
})

test('is exit 130 with Ctrl-C, with and without drawing', async () => {
  for (const env of [{}, { TERM: 'dumb' }]) expect((await atTerminal(chat, [['You ', keys.ctrlC]], { at, env })).exitCode, JSON.stringify(env)).toBe(130)
})

test('is taken up again with what was said before', async () => {
  const first = await atTerminal(chat, [['You ', `Hello${keys.enter}`], ['Hello! How can'], ['You ', keys.ctrlD], ['Go on with it:']], { at })
  const [, id] = /conversations chat ([0-9a-f-]{36})/.exec(first.screen) ?? []
  const { exitCode } = await atTerminal(`conversations chat ${id}`, [['Customer   Hello'], ['Hello! How can'], ['You ', keys.ctrlD]], { at })
  expect(exitCode).toBe(0)
})
