import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Operator } from '../../../support/operator.ts'
import { sampleProject, writeScenario } from './project.ts'

let by: Operator
beforeAll(async () => {
  by = await sampleProject({}, { lasts: 'file' })
})

describe('an invalid scenario', () => {
  test.each([
    [
      'turns: [Hello]\nexpect:\n  contians: Hi',
      ':4: expect.contians: Unknown field "contians". Did you mean contains? Fields: called, not_called, contains,',
    ],
    [
      'turns:\n  - say: Hello\n    expect: {variables: {a: 1}}',
      ':4: turns.0.expect.variables: Unknown field "variables".',
    ],
    ['turns: [Hello]\nchanel: chat', ':3: chanel: Unknown field "chanel". Did you mean channel?'],
    ['turns: [Hello]\nchannel: fax', ':3: channel: Use one of: chat, messaging, call.'],
    ['turns: [Hello]\nexpect: {language: klingon}', ':3: expect.language: Use one of: en, es, '],
    ['turns: [Hello]\nexpect: {contains: "/(/"}', ':3: expect.contains.0: Invalid regular expression: '],
    ['turns: [Hello]\nexpect: {variables: {reason: "/(/"}}', ':3: expect.variables.reason: Invalid regular expression'],
    [
      'turns: [Hello]\nexpect: {called: {tool: quote_treatment, with: {a: "/(/"}}}',
      ':3: expect.called.0.with.a: Inval',
    ],
    [
      'turns: [Hello]\nexpect: {not_called: book_apointment}',
      ':3: expect.not_called: there is no tool "book_apointment". Did you mean "book_appointment"? Known: ',
    ],
    [
      'turns:\n  - say: Hello\n    expect: {called: end_call}',
      ':4: turns.0.expect.called: there is no tool "end_call". Known: ',
    ],
    ['turns: [Hello]\nmocks: {bok: {body: 1}}', ':3: mocks.bok: there is no tool "bok".'],
    ['turns: [Hello]\nexpect: {handover: Recal}', ':3: expect.handover: there is no assistant "Recal". Did you mean'],
    ['scenarios:\n  - name: A\n    turns: [Hi]\n  - expect: {contains: Hi}', ':5: turns: Write either turns or'],
    ['turns: [Hello]\nexpect: {max_turns: many}', ':3: expect.max_turns: '],
    ['turns: [Hello]\nexpect: {matches: "("}', ':3: expect.matches.0: Invalid regular expression: '],
    ['turns: [Hello]\ntime: yesterday', ':3: time: '],
    ['turns: [Hello]\nphone: "0415"', ':3: phone: Use E.164, for example +14155550142.'],
    [
      'turns: [Hello]\nmocks:\n  find: {satus: 500}',
      ':4: mocks.find.0.satus: Unknown field "satus". Did you mean status?',
    ],
    ['expect: {contains: Hello}', 'turns: Write either turns or a customer, and one of them.'],
    ['turns: [Hello]\ncustomer: {goal: Hello}', ':2: turns: Write either turns or a customer, and one of them.'],
    ['turns: [Hello', 'bad.yaml: '],
    ['turns: [Hello]\ndata: {tools: [{name: x}]}', ':3: the account of the scenario "bad" is invalid:'],
  ])('is refused with file, line, field and fix: %j', async (text, expected) => {
    writeScenario(by, 'bad.yaml', `assistant: Front desk\n${text}\n`)
    const run = await by.run('assistants test')
    expect(run).toMatchObject({ exitCode: 2, stdout: '', requests: [] })
    expect(run.stderr).toContain(`parley/tests/bad.yaml`)
    expect(run.stderr).toContain(expected)
  })

  test('names every problem of every file at once', async () => {
    writeScenario(by, 'bad.yaml', 'asistant: Front desk\nturns: [Hello]\n')
    writeScenario(by, 'worse.yaml', 'assistant: Front desk\nturns: []\nexpect: {handover: ""}\n')
    const { stderr } = await by.run('assistants test')
    for (const problem of [
      'bad.yaml:1: asistant: Unknown field',
      'bad.yaml: assistant:',
      'worse.yaml:3: expect.handover:',
    ])
      expect(stderr).toContain(problem)
    rmSync(join(by.cwd, 'parley', 'tests', 'worse.yaml'))
  })

  test('an unknown assistant and two scenarios with one name are refused', async () => {
    writeScenario(by, 'bad.yaml', 'assistant: Nobody\nturns: [Hello]\n')
    const { stderr } = await by.run('assistants test')
    expect(stderr).toContain('bad.yaml:1: assistant: there is no assistant "Nobody".')
    expect(stderr).toContain('Known: Front desk, Recall.')
    writeScenario(
      by,
      'bad.yaml',
      'assistant: Recall\nscenarios: [{name: one, turns: [Hello]}, {name: one, turns: [Hello]}]\n',
    )
    expect((await by.run('assistants test')).stderr).toContain('has a scenario "one" too. Rename one.')
  })

  test.each([
    ['--assistant Nobody', 'No scenario fits --assistant and --scenario.'],
    ['--parallel 0', 'Invalid --parallel "0". Use a whole number from 1 to 1000.'],
    ['--record', 'No language model is configured.'],
    ['nowhere', 'not found.'],
  ])('wrong usage is explained: %s', async (flags, expected) => {
    writeScenario(by, 'bad.yaml', 'assistant: Recall\nturns: [Hello]\n')
    const run = await by.run(`assistants test ${flags}`)
    expect(run.exitCode).toBe(2)
    expect(run.stderr).toContain(expected)
  })

  test('a model script that cannot be read is named, and no scenario runs', async () => {
    const run = await by.run('assistants test --model-script none.yaml')
    expect(run).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: 'error: Could not read --model-script none.yaml: no such file.\n',
    })
  })

  test('in the folder of a project, the hint is to pass that folder', async () => {
    const run = await by.run('assistants test', { cwd: join(by.cwd, 'parley') })
    expect(run).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('hint: The current folder is a project. To use it: parley assistants test .\n'),
    })
  })

  test('a project without assistants and a folder without scenarios are explained', async () => {
    writeFileSync(join(by.cwd, 'hello.yaml'), 'assistant: Recall\nturns: [Hello]\n')
    expect((await by.run('assistants test .')).stderr).toContain('has no assistants.')
    rmSync(join(by.cwd, 'parley', 'tests', 'bad.yaml'))
    expect((await by.run('assistants test')).stderr).toContain('has no scenarios.')
  })
})
