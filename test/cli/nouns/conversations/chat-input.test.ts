import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { readPipedInput, readTypedInput } from '../../../../src/cli/nouns/conversations/chat-input.ts'
import type { Context } from '../../../../src/cli/program/context.ts'
import { memorySink } from '../../../support/memory-sink.ts'

/** Types lines at the prompt of a chat, and returns its messages and the prompts that were shown. */
async function type(lines: readonly string[]) {
  const input = new PassThrough()
  const output = new PassThrough()
  const system = {
    terminal: { input, output },
    streams: { stderr: memorySink({ isTTY: true }) },
    env: { ACCESSIBLE: '1' },
    signal: new AbortController().signal,
  }
  input.end(lines.map((it) => `${it}\n`).join(''))
  const messages = []
  for await (const message of readTypedInput({ system } as never as Context, new AbortController(), []))
    messages.push(message)
  const prompts = String(output.read() ?? '').match(/You|\.\.\./g)
  return { messages, prompts }
}

const text = (it: string) => ({ text: it, mayBeCommand: false })
const line = (it: string) => ({ text: it, mayBeCommand: true })

describe('typed input of a chat', () => {
  test.each([
    ['is a message for each line', ['Hi', ' /cost '], [line('Hi'), line('/cost')]],
    ['is an empty message for an empty line', [''], [line('')]],
    ['continues after a backslash', ['One\\', 'two'], [text('One\ntwo')]],
    ['continues for several lines', ['One\\', 'two\\', 'three', 'Next'], [text('One\ntwo\nthree'), line('Next')]],
    ['is no command in several lines', ['/end\\', 'of it'], [text('/end\nof it')]],
    [
      'is one message between two fences',
      ['"""', 'One', '/end', 'two\\', '"""', 'Next'],
      [text('One\n/end\ntwo\\'), line('Next')],
    ],
    ['is nothing between two fences', ['"""', '"""', 'Next'], [line('Next')]],
    ['is sent unfinished', ['"""', 'One', 'two'], [text('One\ntwo')]],
    ['is sent after a last backslash', ['One\\'], [text('One')]],
  ])('%s', async (_, lines, messages) => {
    expect((await type(lines)).messages).toEqual(messages)
  })

  test('has another prompt while a message is open', async () => {
    expect((await type(['One\\', 'two', 'Next'])).prompts).toEqual(['You', '...', 'You', 'You'])
    expect((await type(['"""', 'One', '"""'])).prompts).toEqual(['You', '...', '...', 'You'])
  })
})

test('piped input is a message for each line: text, or a JSON object with a message', async () => {
  async function* read(): AsyncIterable<string> {
    yield '\uFEFFHi\n/co'
    yield 'st\n{"message": " /end "}\n{"other": 1}\n{broken\n'
    yield 'last'
  }
  const system = { streams: { stdin: { read } }, signal: new AbortController().signal }
  const messages = []
  for await (const message of readPipedInput({ system } as never as Context)) messages.push(message)
  expect(messages).toEqual([
    line('Hi'),
    line('/cost'),
    text('/end'),
    line('{"other": 1}'),
    line('{broken'),
    line('last'),
  ])
})
