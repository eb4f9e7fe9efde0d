import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createLiveText } from '../../../../src/cli/program/terminal/live-text.ts'
import { memorySink } from '../../../support/memory-sink.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'

const events = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((it) => JSON.parse(it))

describe('conversations chat for programs', () => {
  const chat = 'conversations chat --assistant "Front desk"'

  test('shows function calls as they happen, and the results of its commands, each by type', async () => {
    const { exitCode, stdout, stderr } = await operator().run(`${chat} -o ndjson`, {
      stdin: '#function\n/vars\n/cost\n/help\n/end\nNever said\n',
    })
    expect([exitCode, stderr]).toEqual([0, ''])
    const all = events(stdout)
    const run = {
      name: 'look_up_opening_hours',
      arguments: { day: 'today' },
      result: { opens: '08:00', closes: '17:00' },
    }
    const conversation_id = all[0].conversation_id
    expect(all.map((it) => [it.type, it.event])).toEqual([
      ['progress', 'function'],
      ['item', undefined],
      ['progress', 'variables'],
      ['progress', 'cost'],
      ['progress', 'help'],
      ['progress', 'end'],
      ['result', undefined],
    ])
    expect(all[0]).toEqual({ type: 'progress', conversation_id, event: 'function', ...run })
    expect(all[1]).toMatchObject({ message: '#function', function_calls: [run] })
    expect(all[3]).toMatchObject({ total_cost: 0, message_count: 3 })
    expect(all[5]).toEqual({ type: 'progress', conversation_id, event: 'end', text: 'Conversation ended.' })
    expect(all[6]).toEqual({ type: 'result', conversation_id, exchanges: 1 })
  })

  test('ends the conversation with /end, and leaves it open with /quit', async () => {
    const { run, json } = operator()
    for (const [word, kind] of [
      ['/quit', 'conversation.started'],
      ['/end', 'conversation.ended'],
    ]) {
      const conversation = (await run(`${chat} -o ndjson`, { stdin: `Hello\n${word}\n` })).stdout.match(
        /"conversation_id":"([^"]+)"/,
      )?.[1]
      const shown = (await json('events list --all')).filter(
        (it: { payload: { conversation_id?: string } }) => it.payload.conversation_id === conversation,
      )
      expect(shown.at(-1)?.kind ?? 'conversation.started').toBe(kind)
    }
  })

  test('passes variables only to a new conversation', async () => {
    const by = operator()
    const { exitCode, stdout } = await by.run(`${chat} --var first_name=Anna --var town="New York" -o ndjson`, {
      stdin: '/vars\n',
    })
    const [shown] = events(stdout)
    expect([exitCode, shown]).toMatchObject([
      0,
      { event: 'variables', variables: { first_name: 'Anna', town: 'New York' } },
    ])
    const again = await by.run(`conversations chat ${shown.conversation_id} --var first_name=Bea`, { stdin: 'Hello\n' })
    expect([again.exitCode, again.stderr]).toEqual([
      2,
      expect.stringContaining('--var apply to new conversations only'),
    ])
  })

  test('prints replies as they arrive with --stream, and the parts add up to the whole', async () => {
    const by = operator()
    for (const stdin of ['Hello\n', '#function\n']) {
      const all = events((await by.run(`${chat} -o ndjson --stream`, { stdin })).stdout)
      const pieces = all.filter((it) => it.event === 'text').map((it) => it.text)
      expect(pieces.length).toBeGreaterThan(1)
      expect(pieces.join('')).toBe(all.find((it) => it.type === 'item').reply)
    }
  })

  test('sends a message that looks like a command if it is JSON or starts with two slashes', async () => {
    const { stdout } = await operator().run(`${chat} -o ndjson`, {
      stdin: '{"message": "/vars"}\n//end\n/etc/hosts\n{"message": "two\\nlines"}\n',
    })
    expect(events(stdout).flatMap((it) => it.message ?? [])).toEqual(['/vars', '/end', '/etc/hosts', 'two\nlines'])
  })

  test('prints only the exchanges in every other output format', async () => {
    const { stdout } = await operator().run(`${chat} --json`, { stdin: 'Hello\n/cost\n' })
    expect(JSON.parse(stdout)).toMatchObject([{ type: 'item', message: 'Hello' }])
  })

  test('with a remote deployment uses only endpoints that the platform has', async () => {
    const by = operator()
    const { requests } = await by.run(`${chat} -o ndjson`, { stdin: 'Hello\n' })
    expect(requests.filter((it) => it.includes('/control/')).every((it) => it.startsWith('GET /control/turns/'))).toBe(
      true,
    )
  })
})

test('a terminal shows the functions of a reply that did not arrive in parts', async () => {
  const through: RunOptions['through'] = async (handle, request) =>
    request.url.startsWith('/control/turns') ? { status: 404, headers: {}, body: '{}' } : handle(request)
  const { exitCode, stdout, stderr } = await operator().run('conversations chat --assistant "Front desk"', {
    stdin: '#function\n/end\n',
    terminal: { stdout: true },
    through,
  })
  expect(exitCode, stderr).toBe(0)
  expect(stdout).toContain('ran look_up_opening_hours {"day":"today"}')
  expect(stdout).toContain('returned {"opens":"08:00"')
})

describe('a transcript', () => {
  test('contains both sides and function calls, is readable by its owner only, and is appended to', async () => {
    const by = operator()
    const run = (stdin: string) => by.run('conversations chat --assistant 1 --transcript chat.txt', { stdin })
    expect((await run('Hello\n{"message": "two\\nlines"}\n')).exitCode).toBe(0)
    expect((await run('#function\n#fail\n')).exitCode).toBe(8)
    const text = readFileSync(join(by.cwd, 'chat.txt'), 'utf8')
    expect(text.split('\n').map((it) => it.replace(/[0-9a-f-]{36}/, '<id>'))).toEqual([
      '# Conversation <id>, 2026-08-04T12:00:00.000Z',
      'Customer: Hello',
      'Assistant: Hello! How can I help you?',
      'Customer: two',
      '  lines',
      expect.stringContaining('Assistant: You wrote: "two'),
      expect.stringContaining('  lines". This is a simulated reply of Front desk'),
      '# Conversation <id>, 2026-08-04T12:00:00.000Z',
      'Customer: #function',
      '  ran look_up_opening_hours {"day":"today"}: {"opens":"08:00","closes":"17:00"}',
      'Assistant: We are open today from 08:00 to 17:00.',
      'Customer: #fail',
      '! Failed to process message: The language model is not available.',
      '',
    ])
    expect(statSync(join(by.cwd, 'chat.txt')).mode & 0o777).toBe(0o600)
  })

  test('with the extension .ndjson has one JSON object per line', async () => {
    const by = operator()
    await by.run('conversations chat --assistant 1 --transcript chat.ndjson', { stdin: 'Hello\n' })
    expect(events(readFileSync(join(by.cwd, 'chat.ndjson'), 'utf8'))).toMatchObject([
      { role: 'user', content: 'Hello', conversation_id: expect.any(String) },
      { role: 'assistant', content: 'Hello! How can I help you?', function_calls: [] },
    ])
  })

  test('that cannot be written is reported before a message is sent', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'file'), '')
    const { exitCode, stderr, requests } = await by.run('conversations chat --assistant 1 --transcript file/chat.txt', {
      stdin: 'Hello\n',
    })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Cannot write the transcript to file/chat.txt')])
    expect(requests.filter((it) => it.endsWith('/messages'))).toEqual([])
  })
})

describe('a streamed text', () => {
  async function written(pieces: readonly string[], columns = 40): Promise<string> {
    const sink = memorySink({ isTTY: true, columns })
    const text = createLiveText(sink, 'Assistant  ', 11)
    for (const piece of pieces) await text.push(piece)
    await text.end()
    return sink.all
  }

  test('is the same however it is split into chunks, and is wrapped beside the name of the speaker', async () => {
    const whole = 'We are open Monday to Friday, 8:00 to 17:00.\n\nAnything else?'
    const expected =
      'Assistant  We are open Monday to Friday,\n           8:00 to 17:00.\n\n           Anything else?\n'
    expect(await written([whole])).toBe(expected)
    expect(await written([...whole])).toBe(expected)
    expect(await written(whole.match(/.{1,7}/gs) ?? [])).toBe(expected)
  })

  test('contains nothing that moves the cursor', async () => {
    expect(await written(['Hi \x1b[2', 'Jthere', '\r\x07!'])).toBe('Assistant  Hi there!\n')
  })

  test('that is empty prints nothing', async () => {
    expect(await written([])).toBe('')
    expect(await written([' \n'])).toBe('')
  })
})

test('a message has a longer timeout than other calls (default)', async () => {
  const by = operator()
  const waited: number[] = []
  const uuid = (await by.json('conversations list --limit 1'))[0].id
  for (const flags of ['', '--timeout 7']) {
    await by.run(`conversations send ${uuid} --message Hello ${flags} --base-url http://127.0.0.1:9`, {
      connect: async (base) => ({
        base,
        async send(_, { timeoutMs }) {
          waited.push(timeoutMs)
          return { status: 200, headers: {}, body: '{"status":true,"message":"Hi","function_calls":[]}' }
        },
        async close() {},
      }),
    })
  }
  expect(waited).toEqual([120_000, 7000])
})
