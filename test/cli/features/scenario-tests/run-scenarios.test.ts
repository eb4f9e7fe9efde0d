import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Operator } from '../../../support/operator.ts'
import { sampleProject, sampleScenarios, writeScenario } from './project.ts'

let by: Operator
beforeAll(async () => {
  by = await sampleProject(sampleScenarios(), { lasts: 'file' })
})

/** Runs one scenario and returns its result. */
async function result(text: string, flags = '') {
  writeScenario(by, 'own.yaml', `name: own\nassistant: Front desk\n${text}`)
  const run = await by.run(`assistants test --scenario own --json ${flags}`)
  const [first] = JSON.parse(run.stdout || '[]')
  return { ...first, exitCode: run.exitCode, stderr: run.stderr }
}
const finding = (expectation: string, expected: string, happened: unknown, turn: number | null = null) => ({
  exitCode: 20,
  verdict: 'failed',
  findings: [{ turn, expectation, expected, happened }],
})

describe('assistants test', () => {
  test('runs the scenarios of the sample assistants on temporary platforms', async () => {
    const run = await by.run('assistants test')
    expect(run.stdout).toMatch(/^20 passed\.$/m)
    expect(run).toMatchObject({ exitCode: 0, requests: [] })
    expect(run.stderr).toContain('Not covered by any scenario: automation "Move a visit", automation "Opening hours"')
  })

  test('leaves nothing in the folder for temporary files, and does not change the project', async () => {
    const before = readFileSync(join(by.cwd, 'parley', 'parley.lock.json'), 'utf8')
    expect((await result('turns: [Hello]')).exitCode).toBe(0)
    // Other files of tests have folders of their own in this process, and delete them, too.
    const left = () => readdirSync(tmpdir()).filter((it) => it.startsWith(`parley-temporary-${process.pid}-`))
    await expect.poll(left).toEqual([])
    expect(readFileSync(join(by.cwd, 'parley', 'parley.lock.json'), 'utf8')).toBe(before)
  })

  test.each([
    ['called', 'book_appointment', 'nothing', 'called: book_appointment'],
    ['contains', 'A-99', 'Hello! How can I help you?', 'contains: A-99'],
    ['matches', '^Bye', 'Hello! How can I help you?', 'matches: ^Bye'],
    ['never', 'no "hello"', 'Hello! How can I help you?', 'never: hello'],
    ['language', 'de', 'en: Hello! How can I help you?', 'language: de'],
    ['variables', 'reason: pain', 'reason: null', 'variables: {reason: pain}'],
    ['handover', 'Recall', 'none', 'handover: Recall'],
    ['end_reason', 'assistant', 'open', 'end_reason: assistant'],
    ['min_turns', 'at least 2 turns', '1 turn', 'min_turns: 2'],
    ['max_turns', 'at most 0 turns', '1 turn', 'max_turns: 0'],
  ])('the expectation %s fails with what was expected and what happened', async (name, expected, happened, line) => {
    expect(await result(`turns: [Hello]\nexpect: {${line}}`)).toMatchObject(finding(name, expected, happened))
  })

  test('a tool that must not be called, and wrong arguments, are found', async () => {
    const called = 'turns: ["Quote a treatment, treatment is implant"]\nmocks: {quote_treatment: {body: {price: 9}}}'
    expect(await result(`${called}\nexpect: {not_called: quote_treatment}`)).toMatchObject(
      finding('not_called', 'no call of quote_treatment', 'quote_treatment {"treatment":"implant"}'),
    )
    expect(
      await result(`${called}\nexpect: {called: {tool: quote_treatment, with: {treatment: crown}}}`),
    ).toMatchObject(
      finding('called', 'quote_treatment {"treatment":"crown"}', 'quote_treatment {"treatment":"implant"}'),
    )
  })

  test('a tool without a mock fails the scenario', async () => {
    expect(await result('turns: ["Quote a treatment, treatment is implant"]')).toMatchObject({
      exitCode: 20,
      findings: [{ expectation: 'mocks', expected: 'a mock for quote_treatment' }],
    })
  })

  test('the cost of a widget is more than nothing', async () => {
    expect(await result('type: widget\nturns: [Hello]\nexpect: {max_cost_usd: 0}')).toMatchObject({
      ...finding('max_cost_usd', 'at most 0 USD', '0.01 USD'),
      cost_usd: 0.01,
    })
  })

  test('a reply that fails is a result, and turns after the end are reported', async () => {
    expect(await result('turns: ["#fail"]')).toMatchObject({
      exitCode: 20,
      findings: [{ turn: 1, expectation: 'reply', happened: expect.stringContaining('not available') }],
    })
    expect(await result('turns: [Please end the conversation, Hello]')).toMatchObject(
      finding('turns', 'Hello', 'The assistant ended the conversation.', 2),
    )
  })

  test('prints the failing turn as a difference', async () => {
    writeScenario(
      by,
      'own.yaml',
      'name: own\nassistant: Front desk\nturns: [{say: Hello, expect: {called: book_appointment}}]',
    )
    const run = await by.run('assistants test --scenario own')
    expect(run.stdout).toBe(
      [
        'FAIL own (parley/tests/own.yaml:1; 1 turn, 0 ms)',
        '  1 customer: Hello',
        '  1 assistant: Hello! How can I help you?',
        '  turn 1, called:',
        '    - book_appointment',
        '    + nothing',
        '0 passed, 1 failed.',
        '',
      ].join('\n'),
    )
  })

  test('a conversation is handed over to another assistant', async () => {
    const transfer = `
data:
  assistants:
    - {name: Switchboard, type: inbound, mode: pipeline, voice_id: 1, language_id: 1, llm_model_id: 2, timezone: UTC, system_prompt: You connect callers., initial_message: Hello,
       tools: [{type: assistant_transfer, assistant_id: Recall, description: When the caller asks for recall, speak_transfer_greeting: true}]}
turns: ["Please transfer me to recall"]`
    writeScenario(by, 'own.yaml', `name: own\nassistant: Switchboard\n${transfer}\nexpect: {handover: Recall}`)
    expect(await by.run('assistants test --scenario own')).toMatchObject({ exitCode: 0 })
  })

  test('with --repeat the rate of failed runs is shown', async () => {
    const run = await by.run('assistants test --scenario own --repeat 3 --json')
    expect(JSON.parse(run.stdout)).toMatchObject([{ runs: 3, failed_runs: 0, verdict: 'passed' }])
  })

  test('writes JUnit XML and annotations', async () => {
    await result('turns: [Hello]\nexpect: {contains: "<A&B>"}')
    const run = await by.run('assistants test --scenario own --junit out.xml --annotations github')
    expect(run.exitCode).toBe(20)
    const xml = readFileSync(join(by.cwd, 'out.xml'), 'utf8')
    expect(xml).toContain('<testsuite name="parley assistants test" tests="1" failures="1" skipped="0">')
    expect(xml).toContain('- &lt;A&amp;B&gt;')
    expect(run.stderr).toMatch(
      /^::error file=parley\/tests\/own\.yaml,line=1,title=own%3A failed::contains:%0A {2}- <A&B>/m,
    )
    const below = await by.run('assistants test . --scenario own --annotations github', {
      cwd: join(by.cwd, 'parley'),
      env: { GITHUB_WORKSPACE: by.cwd },
    })
    expect(below.stderr).toContain('::error file=parley/tests/own.yaml,')
  })

  test('--coverage lists what no scenario touches', async () => {
    const run = await by.run('assistants test --assistant Recall --coverage --json')
    const items: { kind: string; name: string; assistant: string; covered: boolean }[] = JSON.parse(run.stdout)
    const of = (name: string) => items.find((it) => it.name === name)?.covered
    expect([of('reschedule_visit'), of('book_appointment'), of('Opening hours')]).toEqual([true, false, false])
    expect(items.filter((it) => it.kind === 'prompt_section')).toHaveLength(2)
  })

  test('the files of the project are tested, not the local platform', async () => {
    const file = join(by.cwd, 'parley', 'assistants', 'recall.yaml')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('name: Recall\n', 'name: Check-ups\n'))
    writeScenario(by, 'own.yaml', 'name: own\nassistant: Check-ups\nturns: [Hello]\n')
    expect(await by.run('assistants test --scenario own')).toMatchObject({ exitCode: 0 })
    writeFileSync(file, text)
  })
})
