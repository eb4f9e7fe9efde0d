import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { Anonymizer } from '../../../../src/cli/nouns/conversations/anonymizer.ts'
import { messagesOf, scenarioFromTranscript } from '../../../../src/cli/nouns/conversations/scenario-from-transcript.ts'
import { sampleProject, writeScenario } from './project.ts'

describe('conversations to-test', () => {
  test('a conversation with a tool becomes a scenario that passes, without personal data', async () => {
    const by = await sampleProject({})
    await by.json('tools update quote_treatment --endpoint http://127.0.0.1:9/{treatment}')
    const uuid = (
      await by.run(
        'conversations start --assistant "Front desk" --type test --var first_name=Grace --var customer_phone=+14155550177 -o id',
      )
    ).stdout.trim()
    for (const text of [
      'Hello, my name is Grace Hopper',
      'Write to grace@navy.example or call 415 555 0177',
      'Quote a treatment, treatment is cleaning',
    ])
      await by.run(['conversations', 'send', uuid, '--message', text])
    const run = await by.run(`conversations to-test ${uuid} --name Grace`)
    expect(run.exitCode).toBe(0)
    const scenario = parse(run.stdout)
    expect(scenario).toMatchObject({
      name: 'Grace',
      assistant: 'Front desk',
      mocks: { quote_treatment: [{ when: { treatment: 'cleaning' } }] },
      turns: [
        {},
        {},
        {
          say: 'Quote a treatment, treatment is cleaning',
          expect: { called: [{ tool: 'quote_treatment', with: { treatment: 'cleaning' } }] },
        },
      ],
    })
    expect(JSON.stringify({ ...scenario, name: '' })).not.toMatch(/Grace|Hopper|navy|0177/)
    expect(run.stderr).toContain('Personal data was replaced where it was recognized.')
    writeScenario(by, 'grace.yaml', run.stdout)
    expect(await by.run('assistants test')).toMatchObject({ exitCode: 0 })
  })

  test('an unknown conversation and one without messages are refused', async () => {
    const by = await sampleProject({})
    expect((await by.run('conversations to-test 00000000-0000-4000-8000-000000000000')).exitCode).toBe(4)
    const uuid = (await by.run('conversations start --assistant Recall --type test -o id')).stdout.trim()
    expect(await by.run(`conversations to-test ${uuid}`)).toMatchObject({ exitCode: 2, stdout: '' })
  })
})

test('a tool of the account whose name starts like a function of the platform has its mock', () => {
  const { mocks } = scenarioFromTranscript({
    ...{ name: 'Search', assistant: 'Front desk', channel: 'chat', variables: {}, people: {} },
    messages: [
      { role: 'user', content: 'Find me' },
      {
        role: 'assistant',
        content: 'Found.',
        function_calls: [
          'search_patients',
          'search_knowledge_base',
          'calendar_book_appointment',
          'end_conversation',
        ].map((name) => ({ name, arguments: {}, result: { found: true } })),
      },
    ],
  } as never)
  expect(Object.keys(mocks as object)).toEqual(['search_patients'])
})

test('a call becomes a scenario that passes', async () => {
  const by = await sampleProject({})
  await by.run(
    'server simulate call --assistant "Front desk" --phone-number +14155550177 --turns \'[{customer: "The reason is a toothache"}]\'',
  )
  await by.run('server clock advance 10m')
  const [call] = await by.json<{ id: number }[]>('calls list --limit 1')
  const run = await by.run(`calls to-test ${call?.id}`)
  expect(parse(run.stdout)).toMatchObject({
    assistant: 'Front desk',
    channel: 'call',
    turns: [{ say: 'The reason is a toothache' }],
    expect: { variables: { reason: 'a toothache' }, end_reason: 'customer' },
  })
  expect(run.stdout).not.toContain('0177')
  writeScenario(by, 'call.yaml', run.stdout)
  expect(await by.run('assistants test')).toMatchObject({ exitCode: 0 })
})

describe('personal data', () => {
  test.each([
    ['Call +1 (415) 555-0177 please', 'Call +14155550142 please'],
    [
      'Write to grace@navy.example, not to alan@park.example',
      'Write to person@example.com, not to person2@example.com',
    ],
    ['My name is Alan Turing.', 'My name is Ada Lovelace.'],
    ['Hello, this is about my tooth. I am not well', 'Hello, this is about my tooth. I am not well'],
    [
      "my name is Will Smith-Jones. This is Will, I'm Anna, will you call?",
      "my name is Ada Lovelace. This is Ada, I'm Ada Lovelace 2, will you call?",
    ],
    ['my name is grace and this is urgent', 'my name is Ada Lovelace and this is urgent'],
    ['I was born on 04/12/1985, my dob is 12.4.85', 'I was born on 1990-01-01, my dob is 1990-01-01'],
    [
      'I live at 12 Baker Street, in Berlin at Hauptstraße 12a',
      'I live at 1 Example Street, in Berlin at 1 Example Street',
    ],
    ['IBAN DE89 3704 0044 0532 0130 00.', 'IBAN GB00TEST.'],
    ['Call (415) 555-0177 or 020 7183 8750', 'Call +14155550142 or +14155550143'],
    ['On 2027-03-02 at 09:30, day 12', 'On 2027-03-02 at 09:30, day 12'],
    ['It costs 120 USD, reference A-17', 'It costs 120 USD, reference A-17'],
  ])('%j becomes %j', (text, expected) => {
    expect(new Anonymizer().text(text)).toBe(expected)
  })

  test('values of fields are replaced in texts, the same everywhere', () => {
    const anonymizer = new Anonymizer()
    anonymizer.learn({ first_name: 'Grace', phone: '+14155550177', price: '120' })
    expect(anonymizer.text('grace has +14155550177 and 120')).toBe('Ada has +14155550142 and 120')
    expect(anonymizer.value({ who: ['Grace'], n: 1 })).toEqual({ who: ['Ada'], n: 1 })
  })

  test('lines of a transcript continue the message before them', () => {
    expect(messagesOf('AI: Hello\nthere\nCustomer: Hi')).toEqual([
      { role: 'assistant', content: 'Hello\nthere' },
      { role: 'user', content: 'Hi' },
    ])
  })
})
