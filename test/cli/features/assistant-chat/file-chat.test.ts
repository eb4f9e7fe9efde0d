import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { lockFile } from '../../../../src/node/file-lock.ts'
import type { Operator, Run, RunOptions } from '../../../support/operator.ts'
import { receiver } from '../../../support/servers/http-receiver.ts'
import { calling, modelServer } from '../../../support/servers/model-server.ts'
import { sampleProject } from '../scenario-tests/project.ts'

const file = 'parley/assistants/front-desk.yaml'
const booking = 'Book an appointment, day is 2027-03-02, time is 09:30'

let by: Operator
beforeAll(async () => {
  by = await sampleProject({}, { lasts: 'file' })
})

const path = (name: string): string => join(by.cwd, name)
const chat = (flags: string, options?: RunOptions): Promise<Run> =>
  by.run(`assistants chat --file ${file} ${flags}`, options)
/** Sends a message and returns the printed turn. */
async function say(message: string, flags = '', options?: RunOptions) {
  const run = await chat(`--message "${message}" ${flags} --json`, options)
  expect(run, run.stderr).toMatchObject({ exitCode: 0 })
  return JSON.parse(run.stdout)
}
const savedIn = (name: string) => JSON.parse(readFileSync(path(name), 'utf8'))

/** Changes a file of the project for the duration of some work. */
async function withFile(name: string, change: (text: string) => string, work: () => Promise<void>): Promise<void> {
  const before = existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined
  writeFileSync(path(name), change(before ?? ''))
  try {
    await work()
  } finally {
    if (before === undefined) rmSync(path(name))
    else writeFileSync(path(name), before)
  }
}

describe('one message', () => {
  test('is answered by the assistant of the file, and no request reaches the platform', async () => {
    const { exitCode, stdout, stderr, requests } = await chat('--message "When are you open?"')
    expect({ exitCode, stdout, requests }).toEqual({
      exitCode: 0,
      stdout: 'assistant\tWe are open Monday to Friday, 8:00 to 17:00.\n',
      requests: [],
    })
    expect(stderr).toContain('Language model: the simulated local model. Tools get mock answers.')
  })

  test('is printed with its reply as JSON, which says what replied and what the assistant called', async () => {
    expect(await say(booking, `--mock 'book_appointment={"booked": true}'`)).toEqual({
      conversation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      assistant: 'Front desk',
      model: 'local',
      message: booking,
      reply: 'I used book_appointment: booked true.',
      function_calls: [
        { name: 'book_appointment', arguments: { day: '2027-03-02', time: '09:30' }, result: { booked: true } },
      ],
      unmocked_tools: [],
      status: 'open',
      variables: {},
    })
  })

  test('may end the conversation', async () => {
    expect(await say('Please end the conversation')).toMatchObject({ status: 'ended' })
  })

  test('that the model cannot answer ends with its reason', async () => {
    expect(await chat('--message "#fail"')).toMatchObject({ stdout: '', exitCode: 8 })
  })
})

describe('tools', () => {
  test('without a mock get an answer that says so', async () => {
    const turn = await say(booking)
    expect(turn).toMatchObject({
      unmocked_tools: ['book_appointment'],
      function_calls: [{ result: { mocked: true, message: 'book_appointment was not called, this answer is a mock' } }],
    })
    expect((await chat(`--message "${booking}"`)).stderr).toContain('Not called: book_appointment.')
  })

  test('get the responses of a file, by their arguments and with their status', async () => {
    await withFile(
      'mocks.yaml',
      () => `
mocks:
  quote_treatment:
    - {when: {treatment: crown}, body: {price: 900 USD}}
    - {status: 503, body: {message: Closed}}
`,
      async () => {
        expect(await say('Quote a treatment, treatment is crown', '--mocks mocks.yaml')).toMatchObject({
          function_calls: [{ result: { price: '900 USD' } }],
        })
        expect(await say('Quote a treatment, treatment is implant', '--mocks mocks.yaml')).toMatchObject({
          function_calls: [{ result: { status: 503, answer: { message: 'Closed' } } }],
        })
      },
    )
  })

  test.each([
    [`--mock 'book_appointmen={}'`, 'there is no tool "book_appointmen". Did you mean "book_appointment"?'],
    ['--mock booked', 'Invalid --mock "booked"'],
    [`--mock 'book_appointment={'`, '--mock book_appointment'],
    ['--mocks missing.yaml', 'Could not read --mocks missing.yaml: no such file.'],
    [`--mocks ${file}`, `--mocks ${file} has no field "mocks".`],
    [`--live-tools --mock 'book_appointment={}'`, 'mocks are not used'],
    ['--message ""', '--message is empty'],
  ])('a wrong flag is refused before anything is asked: %s', async (flags, problem) => {
    const { exitCode, stderr } = await chat(`--message Hello ${flags}`)
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(problem) })
  })

  test('are really called with --live-tools, which a person confirms', async () => {
    const server = await receiver()
    server.answer(() => ({ body: { price: '120 USD', echo: 'key live-secret-value, also plain-secret-98765' } }))
    const env = { BOOK_APPOINTMENT_X_PRACTICE: 'live-secret-value' }
    const message = '--message "Quote a treatment, treatment is cleaning"'
    await withFile(
      'parley/tools/quote-treatment.yaml',
      (text) =>
        text
          .replace('https://practice.northwind.example', server.url)
          .replace('headers: []', 'headers:\n  - {name: X-Api-Key, value: plain-secret-98765}'),
      async () => {
        expect(await chat(`${message} --live-tools`, { env })).toMatchObject({
          exitCode: 10,
          stderr: expect.stringContaining('--confirm-side-effects'),
        })
        expect(
          await chat(`${message} --live-tools`, { env, answers: [[/calls the real tools/, false]] }),
        ).toMatchObject({ exitCode: 10 })
        expect(server.got).toEqual([])
        const run = await chat(`${message} --live-tools --confirm-side-effects --conversation live.json`, { env })
        expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('120 USD') })
        expect(server.got).toMatchObject([{ url: '/prices/cleaning', headers: { 'x-api-key': 'plain-secret-98765' } }])
      },
    )
    const saved = readFileSync(path('live.json'), 'utf8')
    expect(saved).toContain('120 USD')
    expect(saved).not.toMatch(/live-secret-value|plain-secret-98765/)
    await server.close()
  })
})

describe('the files of the project', () => {
  test('an automation that a tool calls runs', async () => {
    const { stdout } = await by.run(
      'assistants chat --file parley/assistants/recall.yaml --message "Reschedule my visit, new day is 2027-03-05" --json',
    )
    expect(JSON.parse(stdout)).toMatchObject({
      function_calls: [{ name: 'reschedule_visit', arguments: { new_day: '2027-03-05' } }],
    })
    expect(JSON.parse(stdout).unmocked_tools).not.toContain('reschedule_visit')
  })

  test('the assistant finds what the documents of its knowledge base say', async () => {
    writeFileSync(
      path('parley/knowledge/parking.txt'),
      'Parking: you can park in the yard behind the practice, gate code 4711.',
    )
    await withFile(
      'parley/knowledge/practice-handbook.yaml',
      (text) => `${text.split('documents:')[0]}documents:\n  - {name: Parking, type: txt, file: parking.txt}\n`,
      async () => {
        const { reply, function_calls } = await say('Where can I park behind the practice?')
        expect(reply).toContain('gate code 4711')
        expect(function_calls).toMatchObject([{ name: 'search_knowledge_base' }])
      },
    )
  })

  test('a document that a push would not accept is named with its file', async () => {
    await withFile(
      'parley/knowledge/practice-handbook.yaml',
      (text) =>
        `${text.split('documents:')[0]}documents:\n  - {name: Prices, type: sheet, url: "https://practice.example"}\n`,
      async () => {
        const { exitCode, stderr } = await chat('--message Hello')
        expect({ exitCode, stderr }).toEqual({
          exitCode: 2,
          stderr: expect.stringContaining(
            'parley/knowledge/practice-handbook.yaml: type: The selected type is invalid.',
          ),
        })
      },
    )
  })

  test('a file outside the project is named when it lacks a field, with how to see its fields', async () => {
    mkdirSync(path('draft'))
    writeFileSync(path('draft/bot.yaml'), 'name: Bot\nmode: pipeline\ninitial_message: Hello\n')
    const { exitCode, stderr } = await by.run('assistants chat --file draft/bot.yaml --message Hi')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('draft/bot.yaml: ')
    expect(stderr).toContain('Its fields: parley schema file assistants.')
    expect(stderr).not.toContain('conversation')
  })

  test('a copy of a file answers, although its number is that of the original', async () => {
    await withFile(
      file,
      (text) => `${text.replace(/^phone_number_id:.*\n/m, '')}phone_number_id: "+14155550123"\n`,
      () =>
        withFile(
          'parley/assistants/copy.yaml',
          () => readFileSync(path(file), 'utf8').replace(/^name: .*$/m, 'name: Copy'),
          async () => {
            for (const name of [file, 'parley/assistants/copy.yaml'])
              expect(await by.run(`assistants chat --file ${name} --message "When are you open?"`)).toMatchObject({
                exitCode: 0,
                stdout: expect.stringContaining('Monday to Friday'),
              })
          },
        ),
    )
  })

  test('says which documents an exported file does not have', async () => {
    expect((await chat('--message Hello')).stderr).toContain('Knowledge base "Practice handbook" lacks')
  })

  test.each([
    [
      'tool_ids',
      '  - quote_treatment\n',
      '  - quote_treatmentx\n',
      'tool_ids.',
      'tool "quote_treatmentx"',
      'quote_treatment',
    ],
    [
      'knowledgebase_id',
      'Practice handbook',
      'Practise handbook',
      'knowledgebase_id',
      'knowledge base "Practise handbook"',
      'Practice handbook',
    ],
  ])(
    'a name in %s that no file of the project has is refused, as by push',
    async (_, before, after, at, what, meant) => {
      await withFile(
        file,
        (text) => text.replace(before, after),
        async () => {
          for (const run of [await chat('--message Hello'), await by.run('push --dry-run')]) {
            expect(run).toMatchObject({ exitCode: 2, stdout: '' })
            expect(run.stderr).toContain(`parley/assistants/front-desk.yaml: ${at}`)
            expect(run.stderr).toContain(`${what} not found. Did you mean "${meant}"?`)
          }
        },
      )
    },
  )

  test('a file alone is enough', async () => {
    writeFileSync(path('alone.yaml'), readFileSync(path(file), 'utf8'))
    mkdirSync(path('alone'), { recursive: true })
    writeFileSync(path('alone/desk.yaml'), readFileSync(path(file), 'utf8'))
    const { exitCode, stdout } = await by.run('assistants chat --file alone/desk.yaml --message Hello')
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'assistant\tHello! How can I help you?\n' })
  })

  test.each([
    ['', 'Missing --file'],
    ['--file parley', 'parley is a folder.'],
    ['--file missing.yaml', 'Could not read missing.yaml: no such file.'],
    ['--file parley/tools/book-appointment.yaml', 'unknown field'],
  ])('a file without an assistant is refused: %s', async (flags, problem) => {
    const { exitCode, stderr } = await by.run(`assistants chat ${flags} --message Hello`)
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(problem) })
  })
})

describe('a conversation over several commands', () => {
  test('has the messages, variables and mocks of the commands before', async () => {
    await withFile(
      'intents.yaml',
      () => 'intents:\n  - {when: [who am i], say: "You are {{first_name}} of {{town}}."}\n',
      async () => {
        const flags = '--conversation kept.json --model-script intents.yaml'
        const mocks = `--mock 'quote_treatment={"price": "1 USD"}' --mock 'quote_treatment={"price": "2 USD"}'`
        const first = await say('Book an appointment, day is 2027-03-02', `${flags} ${mocks} --var first_name=Ana`)
        expect(first.reply).toContain('I need more information: Time')
        // The open question is answered by the next command.
        expect(await say('time is 09:30', `${flags} --mock 'book_appointment={"booked": true}'`)).toMatchObject({
          conversation_id: first.conversation_id,
          function_calls: [{ arguments: { day: '2027-03-02', time: '09:30' }, result: { booked: true } }],
        })
        // Responses of a tool are used in turn, and the last one again.
        for (const price of ['1 USD', '2 USD', '2 USD'])
          expect(await say('Quote a treatment, treatment is crown', flags)).toMatchObject({
            function_calls: [{ result: { price } }],
          })
        expect(await say('Who am I?', `${flags} --var town=Lisbon`)).toMatchObject({
          reply: 'You are Ana of Lisbon.',
          variables: { first_name: 'Ana', town: 'Lisbon' },
        })
      },
    )
    const { format, version, assistant, conversation } = savedIn('kept.json')
    expect({ format, version, assistant }).toEqual({
      format: 'parley-conversation',
      version: 1,
      assistant: 'Front desk',
    })
    expect(conversation.messages).toHaveLength(13)
    expect(statSync(path('kept.json')).mode & 0o777).toBe(0o600)
    expect(existsSync(path('kept.json.lock'))).toBe(false)
  })

  test('uses the files as they are now', async () => {
    await say('Hello', '--conversation edited.json')
    await withFile(
      file,
      (text) => text.replace('  - quote_treatment\n', ''),
      async () => {
        const { function_calls } = await say('Quote a treatment, treatment is crown', '--conversation edited.json')
        expect(function_calls).not.toMatchObject([{ name: 'quote_treatment' }])
      },
    )
  })

  test('stays with the assistant that took it over', async () => {
    await withFile(
      file,
      (text) =>
        text.replace(
          'tools:\n',
          'tools:\n  - {type: assistant_transfer, assistant_id: Recall, description: When the caller asks for the recall desk, speak_transfer_greeting: true}\n',
        ),
      async () => {
        const { reply } = await say('Please transfer me to the recall desk', '--conversation moved.json')
        expect(reply).toContain('Your check-up is due.')
        await say('Hello', '--conversation moved.json')
      },
    )
    expect(savedIn('moved.json')).toMatchObject({ assistant: 'Front desk', conversation: { assistant_id: 'Recall' } })
  })

  test('with another assistant is refused and unchanged', async () => {
    await say('Hello', '--conversation front-desk.json')
    const before = readFileSync(path('front-desk.json'), 'utf8')
    const { exitCode, stdout, stderr } = await by.run(
      'assistants chat --file parley/assistants/recall.yaml --conversation front-desk.json --message Hello',
    )
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(
        'front-desk.json is a conversation with "Front desk" (parley/assistants/front-desk.yaml), and parley/assistants/recall.yaml is "Recall".',
      ),
    })
    expect(readFileSync(path('front-desk.json'), 'utf8')).toBe(before)
  })

  test('continues after its assistant got another name in its file', async () => {
    const { conversation_id } = await say('Hello', '--conversation renamed.json')
    await withFile(
      file,
      (text) => text.replace('name: Front desk', 'name: Reception'),
      async () => {
        expect(await say('When are you open?', '--conversation renamed.json')).toMatchObject({
          conversation_id,
          assistant: 'Reception',
          reply: 'We are open Monday to Friday, 8:00 to 17:00.',
        })
      },
    )
    expect(savedIn('renamed.json')).toMatchObject({
      assistant: 'Reception',
      conversation: { assistant_id: 'Reception', messages: { length: 5 } },
    })
  })

  test('names the assistant that has taken it over and is not in the files any more', async () => {
    await say('Hello', '--conversation taken-over.json')
    const saved = savedIn('taken-over.json')
    const text = JSON.stringify({ ...saved, conversation: { ...saved.conversation, assistant_id: 'Night desk' } })
    writeFileSync(path('taken-over.json'), text)
    const { exitCode, stderr } = await chat('--message Hello --conversation taken-over.json')
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining(
        'taken-over.json was transferred to the assistant "Night desk", which is not in parley.',
      ),
    })
    expect(stderr).not.toContain('assistant_id')
  })

  test('is not saved in a folder that does not exist', async () => {
    const { exitCode, stdout, stderr } = await chat('--message Hello --conversation missing/chat.json')
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('Could not write --conversation missing/chat.json: its folder does not exist.'),
    })
    expect(existsSync(path('missing'))).toBe(false)
  })

  test('is unchanged by a message without a reply', async () => {
    await say('Hello', '--conversation failing.json')
    const before = readFileSync(path('failing.json'), 'utf8')
    expect(await chat('--message "#fail" --conversation failing.json')).toMatchObject({ exitCode: 8 })
    expect(readFileSync(path('failing.json'), 'utf8')).toBe(before)
  })

  test('starts with an empty file, such as that of mktemp', async () => {
    writeFileSync(path('empty.json'), '')
    await say('Hello', '--conversation empty.json')
    expect(savedIn('empty.json').conversation.messages).toHaveLength(3)
  })

  test.each([
    ['not JSON', 'Dear diary', 'is not a conversation file. It was not changed.'],
    ['JSON of something else', '{"name": "package"}', 'is not a conversation file. It was not changed.'],
    ['a later version', '{"format": "parley-conversation", "version": 2}', 'format version 2'],
    ['a damaged one', '{"format": "parley-conversation", "version": 1, "assistant": "Front desk"}', 'conversation'],
    [
      'one of an assistant that is gone',
      JSON.stringify({
        format: 'parley-conversation',
        version: 1,
        assistant: 'Gone',
        conversation: { assistant_id: 'Gone', messages: [] },
        mocks: {},
      }),
      'Gone',
    ],
  ])('is refused and unchanged if the file is %s', async (_, text, problem) => {
    writeFileSync(path('other.json'), text)
    const { exitCode, stderr, stdout } = await chat('--message Hello --conversation other.json')
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringContaining(problem) })
    expect(readFileSync(path('other.json'), 'utf8')).toBe(text)
  })

  test('belongs to one command at a time', async () => {
    const lock = lockFile(path('busy.json.lock'))
    expect(await chat('--message Hello --conversation busy.json')).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('is chatting in busy.json. Nothing was sent.'),
    })
    lock.release()
    await say('Hello', '--conversation busy.json')
  })

  test('of several commands at once, each is saved or refused', async () => {
    const runs = await Promise.all(
      Array.from({ length: 4 }, (_, n) => chat(`--message "Hello ${n}" --conversation raced.json --json`)),
    )
    const done = runs.filter((it) => it.exitCode === 0)
    expect(done.length).toBeGreaterThan(0)
    expect(runs.every((it) => it.exitCode === 0 || it.exitCode === 5)).toBe(true)
    expect(savedIn('raced.json').conversation.messages).toHaveLength(1 + 2 * done.length)
  })
})

describe('from a pipe', () => {
  test('each line is a message, and the conversation is saved', async () => {
    const run = await chat('-o ndjson --conversation piped.json', { stdin: 'Hello\nWhen are you open?\n/end\n' })
    expect(run.exitCode).toBe(0)
    expect(
      run.stdout
        .split('\n')
        .filter(Boolean)
        .map((it) => JSON.parse(it))
        .filter((it) => it.type === 'item')
        .map((it) => it.reply),
    ).toEqual(['Hello! How can I help you?', 'We are open Monday to Friday, 8:00 to 17:00.'])
    expect(savedIn('piped.json').conversation).toMatchObject({ status: 'ended', messages: { length: 5 } })
  })

  test('/help says whether the conversation can be continued later', async () => {
    const leaving = async (flags: string): Promise<string> => (await chat(flags, { stdin: '/help\n' })).stderr
    expect(await leaving('')).toContain('Leave the chat (also Ctrl-D); it is not saved\n')
    expect(await leaving('--conversation helped.json')).toContain(
      'Leave the chat (also Ctrl-D); you can resume it later',
    )
  })

  test('a coding agent without a message gets the flag that passes one', async () => {
    expect(await chat('', { env: { CLAUDECODE: '1' }, stdin: '' })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Pass --message'),
    })
  })
})

test('the configured language model replies, with its key, and its name is printed', async () => {
  const model = await modelServer()
  model.answer(({ body }) =>
    body.messages.at(-1).role === 'tool' ? [{ say: 'Booked.' }] : calling('book_appointment', { day: 'd', time: 't' }),
  )
  const env = { PARLEY_MODEL_URL: model.url, PARLEY_MODEL: 'scripted', PARLEY_MODEL_KEY: 'sk-test-0123456789abcdef' }
  expect(await say('Book it', '--conversation model.json', { env })).toMatchObject({
    model: 'scripted',
    reply: 'Booked.',
  })
  await say('And again', '--conversation model.json', { env })
  expect(model.requests.every((it) => it.authorization === 'Bearer sk-test-0123456789abcdef')).toBe(true)
  // The second command sends what was said and called before.
  expect(
    model.requests
      .at(-1)
      ?.body.messages.map((it: { role: string }) => it.role)
      .join(' '),
  ).toContain('assistant tool assistant user assistant tool')
  expect((await chat('--message Hello', { env })).stderr).toContain(
    `Language model: scripted at ${new URL(model.url).host}`,
  )
  const wrong = await chat('--message Hello', { env: { ...env, PARLEY_MODEL_URL: 'notaurl' } })
  expect(wrong).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('PARLEY_MODEL_URL') })
  await model.close()
})
