import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { CriterionResult } from '../../../../src/cli/features/judge/criterion-result.ts'
import { type GivenRecord, toJudged } from '../../../../src/cli/features/judge/judged-record.ts'
import { judgedScenario } from '../../../../src/cli/features/judge/judged-scenario.ts'
import type { Rubric } from '../../../../src/cli/features/judge/rubric.ts'
import { runCheck } from '../../../../src/cli/features/judge/run-checks.ts'
import { operator } from '../../../support/operator.ts'
import { sampleProject } from '../scenario-tests/project.ts'
import { having, type Spoken } from './judged.ts'

const rubricText = `
version: 1
name: Front desk
criteria:
  - {id: price, when: [how much], check: {says_price: true}}
  - {id: person, when: [complaint], check: {offers_human: true, never: [as an AI]}}
  - {id: short, check: {max_messages: 1}}
`

/** Talks to the front desk, judges the conversation, and returns what was printed. */
async function judgeConversation(messages: readonly string[]) {
  const by = await sampleProject({})
  writeFileSync(join(by.cwd, 'rubric.yaml'), rubricText)
  const uuid = (await by.run('conversations start --assistant "Front desk" --type test -o id')).stdout.trim()
  for (const message of messages) await by.run(['conversations', 'send', uuid, '--message', message])
  const run = await by.run(`conversations judge --rubric rubric.yaml --json --limit 1 --to-test parley/tests`)
  const [item] = JSON.parse(run.stdout)
  return { by, item, stderr: run.stderr }
}

describe('a failure', () => {
  test('becomes a scenario that fails with the same assistant, and passes with one that does better', async () => {
    const { by, item, stderr } = await judgeConversation(['How much is it?', 'I have a complaint'])
    expect(item.result).toBe('failed')
    const scenario = parse(readFileSync(join(by.cwd, item.scenario), 'utf8'))
    expect(scenario).toEqual({
      name: expect.stringMatching(/^conversation [0-9a-f]{8}$/),
      assistant: 'Front desk',
      turns: [{ say: 'How much is it?' }, { say: 'I have a complaint' }],
      expect: { says_price: true, offers_human: true, never: ['as an AI'] },
    })
    expect(stderr).toContain(
      'Not in a scenario, because the same messages of the customer do not show it in a test: short (1).',
    )
    const tested = await by.run('assistants test --json')
    expect(tested.exitCode).toBe(20)
    const [result] = JSON.parse(tested.stdout)
    const findings = (it: { findings: readonly { expectation: string }[] }) => it.findings.map((one) => one.expectation)
    expect(findings(result)).toEqual(['says_price', 'offers_human'])
    writeFileSync(
      join(by.cwd, 'intents.yaml'),
      'intents:\n  - {when: how much, say: It is 120 USD.}\n  - {when: complaint, say: A colleague calls you back.}\n',
    )
    expect(await by.run('assistants test --model-script intents.yaml')).toMatchObject({ exitCode: 0 })
  })

  test('that a test would not show gets no scenario, and is named', async () => {
    const { item, stderr } = await judgeConversation(['Hello', 'Are you there?'])
    expect(item).toMatchObject({ result: 'failed', scenario: null })
    expect(stderr).toContain('do not show it in a test: short (1).')
    expect(stderr).not.toContain('Scenarios of failures are in')
  })
})

test('a file that exists without what was not met is not named as its scenario', async () => {
  const { by, item } = await judgeConversation(['How much is it?', 'I have a complaint'])
  const judgeBy = async (criteria: string) => {
    writeFileSync(join(by.cwd, 'other.yaml'), `version: 1\nname: Other\ncriteria:\n${criteria}`)
    const run = await by.run('conversations judge --rubric other.yaml --json --limit 1 --to-test parley/tests')
    return { scenario: JSON.parse(run.stdout)[0].scenario, stderr: run.stderr }
  }
  const before = readFileSync(join(by.cwd, item.scenario), 'utf8')
  const other = await judgeBy(
    '  - {id: german, check: {language: de}}\n  - {id: person, check: {offers_human: true}}\n',
  )
  expect(other.scenario).toBeNull()
  expect(other.stderr).toContain(
    `Not written, because the file exists without it: ${item.scenario} (german). Pass another folder with --to-test, or rename the files.`,
  )
  expect(other.stderr).not.toContain('Scenarios of failures are in')
  // One that has it is the scenario.
  const known = await judgeBy('  - {id: person, check: {offers_human: true, never: [as an AI]}}\n')
  expect(known.scenario).toBe(item.scenario)
  expect(known.stderr).toContain('1 existed and were not changed')
  expect(readFileSync(join(by.cwd, item.scenario), 'utf8')).toBe(before)
})

describe('the scenario of a failure', () => {
  const rubric = (criteria: readonly Partial<Rubric['criteria'][number]>[]): Rubric => ({
    ...{ version: 1, name: 'Front desk', pass: 0.7, hash: '' },
    criteria: criteria.map((it) => ({ id: 'one', scale: 5, evidence: 'assistant', weight: 1, ...it })),
  })
  const booking: GivenRecord = {
    ...{ id: '7', created_at: '2026-11-30T09:00:00Z', variables: {}, customer: null },
    history: [
      { role: 'assistant', content: 'Hello, as an AI I can help.' },
      { role: 'user', content: 'What is open?' },
      {
        role: 'assistant',
        content: 'Booked.',
        function_calls: [{ name: 'book', arguments: { day: 'Monday' }, result: { booked: true } }],
      },
    ],
    recorded: {
      ...{ name: 'conversation 7', assistant: 'Front desk', channel: 'chat', variables: {}, people: {} },
      messages: [
        { role: 'assistant', content: 'Hello, as an AI I can help.' },
        { role: 'user', content: 'What is open?' },
        {
          role: 'assistant',
          content: 'Booked.',
          function_calls: [{ name: 'book', arguments: { day: 'Monday' }, result: { booked: true } }],
        },
      ],
    },
  }
  const scenarioOf = (given: Rubric, scores: Readonly<Record<string, number>> = {}) => {
    const record = toJudged(booking)
    if (!record) throw new Error('Nothing was said.')
    const results = given.criteria.map(
      (criterion): CriterionResult =>
        criterion.check
          ? runCheck(criterion, criterion.check, record)
          : {
              id: criterion.id,
              by: 'model',
              status: 'judged',
              score: scores[criterion.id] ?? 0,
              reason: '',
              quotes: [],
            },
    )
    return judgedScenario(given, record, results)
  }

  test('does not expect what the assistant did wrong, and has the responses of its tools', () => {
    const { scenario } = scenarioOf(rubric([{ check: { not_called: ['book'] } }]))
    expect(scenario).toMatchObject({
      mocks: { book: [{ when: { day: 'Monday' }, body: { booked: true } }] },
      turns: [{ say: 'What is open?' }],
      expect: { not_called: ['book'] },
    })
    expect(scenario?.turns).toEqual([{ say: 'What is open?' }])
  })

  test('does not have what only the greeting said', () => {
    expect(scenarioOf(rubric([{ check: { never: ['as an AI'] } }]))).toMatchObject({
      scenario: undefined,
      untestable: ['one'],
    })
  })

  test('has the questions whose score was too low, and not those that were good enough', () => {
    const asked = rubric([
      { id: 'kind', question: 'Was it kind?' },
      { id: 'right', question: 'Was it right?' },
      { id: 'quick', question: 'Was it quick?', min: 1 },
    ])
    const { scenario } = scenarioOf(asked, { kind: 0.8, right: 0.2, quick: 0.8 })
    expect(scenario?.expect).toEqual({ judge: 'Was it right?\nWas it quick?' })
  })
})

test('a scenario of a conversation expects the language, prices and offers of a person', async () => {
  const toTest = (...spoken: Spoken) =>
    operator().run('conversations to-test 00000000-0000-4000-8000-000000000000', having([spoken]))
  const hello = ['Hello', 'We are here to help you with it.']
  const short = await toTest(...hello)
  expect(parse(short.stdout)).toMatchObject({ turns: [{ say: 'Hello' }], expect: { language: 'en' } })
  expect(short.stderr).toContain('No turn has an expectation.')
  const price = ['How much is it?', 'It is 120 USD.']
  const long = await toTest(...hello, ...price, 'I have a complaint', 'A colleague calls you back.')
  expect(parse(long.stdout).turns).toEqual([
    { say: 'Hello' },
    { say: 'How much is it?', expect: { says_price: true } },
    { say: 'I have a complaint', expect: { offers_human: true } },
  ])
  expect(long.stderr).not.toContain('No turn has an expectation.')
})
