import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildProgram, type Program, typedAhead } from './program.ts'
import { promptScenarios } from './prompt-scenarios.ts'

let program: Program
beforeAll(async () => {
  program = await buildProgram(promptScenarios)
})
afterAll(() => program.remove())

const plain = { env: { ACCESSIBLE: '1' } }

describe.runIf(process.platform !== 'win32')('on a terminal', () => {
  test('text without a match is never answered with a choice, however fast Enter follows', async () => {
    for (const typed of ['zzz\r', 'zzz\r\r\r', 'zzz\r\n'])
      expect(
        await program.run('search', [
          ['Warsaw', typed],
          ['? City? zzz'],
          ['No results', '\u007f\u007f\u007fvie'],
          ['❯ Vienna', '\r'],
        ]),
        typed,
      ).toMatchObject({
        exitCode: 0,
        stdout: '2',
      })
    const run = await program.run('search', [
      ['Warsaw', 'zzz\r\r'],
      ['No results', '\u0003'],
    ])
    expect(run).toMatchObject({ exitCode: 130, stdout: 'Interrupted' })
    expect(run.screen).not.toContain('City? Warsaw')
  })
  test('text that is typed before it is drawn selects its match, which is shown as selected', async () => {
    const run = await program.run('search', [['Warsaw', 'viln\r']])
    expect(run).toMatchObject({ exitCode: 0, stdout: '3' })
    expect(run.screen.split('City?').at(-1)).toContain('Vilnius')
    expect(await program.run('search', [['Warsaw', 'vi\u001b[B\r']])).toMatchObject({ exitCode: 0, stdout: '3' })
  })
  test('only y and yes confirm', async () => {
    for (const typed of ['yo', 'yes no', 'n', 'ja', 'yy'])
      expect(await program.run('confirm', [['(y/N)', `${typed}\r`]]), typed).toMatchObject({ stdout: 'false' })
    for (const typed of ['Y', 'YES', ' yes '])
      expect(await program.run('confirm', [['(y/N)', `${typed}\r`]]), typed).toMatchObject({ stdout: 'true' })
  })
  test('Ctrl-C takes precedence over an answer typed with it', async () => {
    for (const typed of ['y\r\u0003', 'y\u0003\r'])
      expect(await program.run('confirm', [['(y/N)', typed]]), JSON.stringify(typed)).toMatchObject({ exitCode: 130 })
  })
  test('of unknown width, or without cursor movement, questions are still asked', async () => {
    const narrow = await program.run('confirm', [['(y/N)', 'y\r']], { columns: 0 })
    expect(narrow).toMatchObject({ exitCode: 0, stdout: 'true' })
    expect(narrow.drawn).not.toContain('\u001b')
    const dumb = await program.run('select', [['to 4:', '2\r']], { env: { TERM: 'dumb' } })
    expect(dumb).toMatchObject({ exitCode: 0, stdout: '2' })
    expect(dumb.drawn).not.toContain('\u001b')
  })
})

describe.runIf(process.platform !== 'win32').each([
  ['drawn', {}],
  ['line by line', plain],
])('text typed before a question is shown, %s,', (_, options) => {
  test('is not a confirmation when it was typed before anything was drawn', async () => {
    expect(
      await program.run(
        'confirm',
        [
          ['', 'y\r'],
          ['(y/N)', '\r'],
        ],
        options,
      ),
    ).toMatchObject({ exitCode: 0, stdout: 'false' })
  })
  test('does not prevent an answer afterwards', async () => {
    expect(await typedAhead(program, 'late', 'n\rabc', [['(y/N)', 'y\r']], options)).toMatchObject({
      exitCode: 0,
      stdout: 'true',
    })
  })
  test('is not a choice', async () => {
    expect(
      await typedAhead(
        program,
        'lateSearch',
        '\r1\r',
        [['Vilnius'], [options === plain ? 'to 4:' : 'City?', '\u0003']],
        options,
      ),
    ).toMatchObject({
      exitCode: 130,
    })
  })
})

describe.runIf(process.platform !== 'win32')('with ACCESSIBLE', () => {
  test('a long list is searched by typing', async () => {
    const run = await program.run(
      'long',
      [['30 more.'], ['to 50:', 'tem-4\r'], ['44. item-44'], ['to 50:', '44\r']],
      plain,
    )
    expect(run).toMatchObject({ exitCode: 0, stdout: '44' })
  })
  test('an invalid input shows the reason and is prompted for again', async () => {
    expect(await program.run('input', [['Name?', 'ab\r'], ['Too short.'], ['Name?', 'abc\r']], plain)).toMatchObject({
      stdout: '"abc"',
    })
    expect(await program.run('preset', [['(desk)', '\r']], plain)).toMatchObject({ stdout: '"desk"' })
  })
  test('one password after another', async () => {
    const run = await program.run(
      'secrets',
      [
        ['First?', 'one\r'],
        ['Second?', 'two\r'],
      ],
      plain,
    )
    expect(run).toMatchObject({ exitCode: 0, stdout: '["one","two"]' })
  })
  test('Ctrl-C and Ctrl-D interrupt', async () => {
    for (const key of ['\u0003', '\u0004'])
      for (const [scenario, text] of [
        ['confirm', '(y/N)'],
        ['select', 'to 4:'],
        ['password', 'Key?'],
      ] as const)
        expect(await program.run(scenario, [[text, key]], plain), scenario).toMatchObject({
          exitCode: 130,
          stdout: 'Interrupted',
        })
  })
  test('one question after another', async () => {
    expect(
      await program.run(
        'twice',
        [
          ['First?', 'y\r'],
          ['Second?', 'abc\r'],
        ],
        plain,
      ),
    ).toMatchObject({ exitCode: 0, stdout: '[true,"abc"]' })
  })
})
