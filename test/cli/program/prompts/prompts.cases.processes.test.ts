import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrompts } from '../../../../src/cli/program/prompts/create-prompts.ts'
import { Interrupted, NeedsTerminal } from '../../../../src/cli/program/prompts/prompts.ts'
import { longOnly } from '../../../support/case-count.ts'
import { memorySink } from '../../../support/memory-sink.ts'
import { buildProgram, type Program, typedAhead } from './program.ts'
import { promptScenarios } from './prompt-scenarios.ts'

let program: Program
beforeAll(async () => {
  program = await buildProgram(promptScenarios)
})
afterAll(() => program.remove())

const plain = { env: { ACCESSIBLE: '1' } }

describe('without a terminal', () => {
  const sinks = (stdin: boolean, stderr: boolean) => ({
    stdin: { isTTY: stdin, read: async function* () {}, text: async () => '' },
    stdout: memorySink({ isTTY: true }),
    stderr: memorySink({ isTTY: stderr }),
  })
  test.each([
    ['stdin is a pipe', false, true, true],
    ['stderr is a pipe', true, false, true],
    ['questions are switched off', true, true, false],
  ])('nothing is prompted for: %s', async (_what, stdin, stderr, interactive) => {
    const input = new PassThrough()
    input.end('\ny\ny\n')
    const streams = sinks(stdin, stderr)
    const prompts = createPrompts({ streams, input, output: new PassThrough(), env: {}, interactive, color: false })
    expect(prompts.isAvailable).toBe(false)
    const questions = [
      () => prompts.confirm('Buy?'),
      () => prompts.select('Buy?', [{ name: 'a', value: 1 }]),
      () => prompts.input('Buy?'),
      () => prompts.password('Buy?'),
      () => prompts.confirmName('Buy?', 'a'),
    ]
    for (const ask of questions) {
      const error = await ask().catch((it) => it)
      expect(error).toBeInstanceOf(NeedsTerminal)
      expect(error).toMatchObject({ exit: 'usage', question: expect.stringContaining('Buy?') })
    }
    expect(streams.stderr.all).toBe('')
  })
})

test('an interrupted run asks nothing', async () => {
  const streams = {
    stdin: { isTTY: true, read: async function* () {}, text: async () => '' },
    stdout: memorySink(),
    stderr: memorySink({ isTTY: true }),
  }
  const prompts = createPrompts({
    streams,
    input: new PassThrough(),
    output: new PassThrough(),
    env: { ACCESSIBLE: '1' },
    interactive: true,
    color: false,
    signal: AbortSignal.abort(),
  })
  await expect(prompts.confirm('Buy?')).rejects.toBeInstanceOf(Interrupted)
  expect(streams.stderr.all).toBe('')
})

describe.runIf(process.platform !== 'win32')('on a terminal', () => {
  test('Enter alone means No, and the question is drawn only on stderr', async () => {
    const run = await program.run('confirm', [['Delete it? (y/N)', '\r']])
    expect(run).toMatchObject({ exitCode: 0, stdout: 'false' })
    expect(run.screen).toContain('Delete it?')
  })
  test('y means Yes', async () => {
    expect(await program.run('confirm', [['(y/N)', 'y\r']])).toMatchObject({ exitCode: 0, stdout: 'true' })
  })
  test('anything else means No', async () => {
    expect(await program.run('confirm', [['(y/N)', 'sure\r']])).toMatchObject({ exitCode: 0, stdout: 'false' })
  })
  test.each([['Ctrl-C', '\u0003'], ...longOnly(['Ctrl-D', '\u0004'])])(
    '%s interrupts every question',
    async (_what, key) => {
      for (const [scenario, text] of [
        ['confirm', '(y/N)'],
        ['select', 'Warsaw'],
        ['search', 'Warsaw'],
        ['input', 'Name?'],
        ['password', 'masked'],
      ] as const)
        expect(await program.run(scenario, [[text, key]]), scenario).toMatchObject({
          exitCode: 130,
          stdout: 'Interrupted',
        })
    },
  )
  test('an aborted signal ends the question', async () => {
    expect(await program.run('abort', [['(y/N)']])).toMatchObject({ exitCode: 130, stdout: 'Interrupted' })
  })
  test('a choice is selected with the arrow keys', async () => {
    const run = await program.run('select', [['Warsaw', '\u001b[B\r']])
    expect(run).toMatchObject({ exitCode: 0, stdout: '2' })
    expect(run.drawn).not.toContain('Vigo\u001b[2J')
  })
  test('a choice is found by typing, in descriptions too', async () => {
    expect(await program.run('search', [['Warsaw', 'viln'], ['? City? viln'], ['Vilnius', '\r']])).toMatchObject({
      exitCode: 0,
      stdout: '3',
    })
    expect(await program.run('search', [['Vienna', 'poland'], ['? City? poland'], ['Warsaw', '\r']])).toMatchObject({
      exitCode: 0,
      stdout: '1',
    })
  })
  test('a disabled choice cannot be selected, not even by its exact name', async () => {
    expect(
      await program.run('search', [
        ['Warsaw', 'vigo\r'],
        ['Vigo', '\r'],
        ['Vigo', '\u0003'],
      ]),
    ).toMatchObject({ exitCode: 130, stdout: 'Interrupted' })
  })
  test('an input is prompted for again until it is valid', async () => {
    expect(
      await program.run('input', [
        ['Name?', 'ab\r'],
        ['Too short.', 'c\r'],
      ]),
    ).toMatchObject({ exitCode: 0, stdout: '"abc"' })
  })
  test('Enter accepts the default', async () => {
    expect(await program.run('preset', [['(desk)', '\r']])).toMatchObject({ exitCode: 0, stdout: '"desk"' })
  })
  test('a password is never shown', async () => {
    const run = await program.run('password', [['masked', 'sk-secret\r']])
    expect(run).toMatchObject({ exitCode: 0, stdout: '"sk-secret"' })
    expect(run.drawn).not.toContain('secret')
  })
  test('a masked input shows stars', async () => {
    const run = await program.run('masked', [['PIN?', '1234\r']])
    expect(run).toMatchObject({ exitCode: 0, stdout: '"1234"' })
    expect(run.screen).toContain('****')
    expect(run.drawn).not.toContain('1234')
  })
  test('only the exact name confirms a dangerous action', async () => {
    const asked = 'This cannot be undone. Type Front desk to confirm:'
    expect(await program.run('typeName', [[asked, 'Front desk\r']])).toMatchObject({ stdout: 'true' })
    expect(await program.run('typeName', [[asked, 'front desk\r']])).toMatchObject({ stdout: 'false' })
    expect(await program.run('typeName', [[asked, '\r']])).toMatchObject({ stdout: 'false' })
    expect(await program.run('nameless', [['to confirm:', '\r']])).toMatchObject({ stdout: 'false' })
  })
  test('one question after another', async () => {
    expect(
      await program.run('twice', [
        ['First?', 'y\r'],
        ['Second?', 'abc\r'],
      ]),
    ).toMatchObject({ exitCode: 0, stdout: '[true,"abc"]' })
  })
})

describe.runIf(process.platform !== 'win32').each([
  ['drawn', {}],
  ['line by line', plain],
])('text typed before a question is shown, %s,', (_, options) => {
  test.each(['y\r', ...longOnly('y', 'yes\r\r', 'y\ry\ry\r')])('is not a confirmation: %j', async (typed) => {
    expect(await typedAhead(program, 'late', typed, [['(y/N)', '\r']], options)).toMatchObject({
      exitCode: 0,
      stdout: 'false',
    })
  })
  test('is not a name', async () => {
    expect(await typedAhead(program, 'lateName', 'desk\r', [['to confirm:', '\r']], options)).toMatchObject({
      stdout: 'false',
    })
    expect(await typedAhead(program, 'lateName', 'desk', [['to confirm:', '\r']], options)).toMatchObject({
      stdout: 'false',
    })
  })
  test('with Ctrl-C in it interrupts', async () => {
    expect(await typedAhead(program, 'late', 'y\u0003', [], options)).toMatchObject({ exitCode: 130 })
  })
})

describe.runIf(process.platform !== 'win32')('with ACCESSIBLE', () => {
  test('nothing is redrawn: no sequence reaches the terminal', async () => {
    for (const [scenario, text, typed, answer] of [
      ['confirm', '(y/N)', 'y\r', 'true'],
      ['select', 'to 4:', '3\r', '3'],
      ['input', 'Name?', 'abc\r', '"abc"'],
      ['password', 'Key?', 'secret\r', '"secret"'],
    ] as const) {
      const run = await program.run(scenario, [[text, typed]], plain)
      expect(run, scenario).toMatchObject({ exitCode: 0, stdout: answer })
      expect(run.drawn).not.toContain('\u001b')
    }
  })
  test('Enter alone means No, and any other text is prompted for again', async () => {
    expect(await program.run('confirm', [['(y/N)', '\r']], plain)).toMatchObject({ stdout: 'false' })
    expect(
      await program.run('confirm', [['(y/N)', 'sure\r'], ['Enter y or n.'], ['(y/N)', 'yes\r']], plain),
    ).toMatchObject({ stdout: 'true' })
  })
  test('choices have numbers, and disabled ones show the reason', async () => {
    const run = await program.run(
      'select',
      [
        ['4. Vigo (closed)'],
        ['to 4:', '4\r'],
        ['not available'],
        ['to 4:', '9\r'],
        ['No matching choice'],
        ['to 4:', 'Vienna\r'],
      ],
      plain,
    )
    expect(run).toMatchObject({ exitCode: 0, stdout: '2' })
    expect(run.screen).toContain('1. Warsaw: in Poland')
  })
  test('a password is not echoed, and can be corrected', async () => {
    const run = await program.run('password', [['Key?', 'secrex\u007ft\r']], plain)
    expect(run).toMatchObject({ exitCode: 0, stdout: '"secret"' })
    expect(run.drawn).not.toContain('secre')
  })
})
