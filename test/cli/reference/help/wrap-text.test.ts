import { describe, expect, test } from 'vitest'
import { createNotes } from '../../../../src/cli/program/output/notes.ts'
import { renderRecord } from '../../../../src/cli/program/output/render.ts'
import { textWidth } from '../../../../src/cli/program/terminal/text-width.ts'
import { foldCommand, wrap } from '../../../../src/cli/program/terminal/wrap-text.ts'
import { memorySink, settings } from '../../../support/memory-sink.ts'
import { operator } from '../../../support/operator.ts'

describe('long text', () => {
  test('breaks lines between words and indents continuation lines', () => {
    expect(wrap('one two three four', 12, '  ')).toBe('one two\n  three four')
    expect(wrap('a\nbb cc dd', 7, '  ')).toBe('a\n  bb cc\n  dd')
    expect(wrap('  - kept deep\nx', 10, '')).toBe('  - kept\ndeep\nx')
    expect(wrap('', 10, '')).toBe('')
  })
  test('counts wide characters as the terminal shows them, and breaks scripts without spaces after any character', () => {
    expect(wrap('日本 語日 本語', 9, '', textWidth)).toBe('日本 語日\n本語')
    expect(wrap('日本語日本語 ok', 6, '', textWidth)).toBe('日本語\n日本語\nok')
    expect(wrap('\u001b[31mred\u001b[39m \u001b[1mbold\u001b[22m', 8, '', textWidth)).toBe(
      '\u001b[31mred\u001b[39m \u001b[1mbold\u001b[22m',
    )
  })
  test('never breaks words or command lines, which users copy', () => {
    expect(wrap('see https://host.example/a/long/path now', 12, '')).toBe('see\nhttps://host.example/a/long/path\nnow')
    expect(wrap('Stop it: parley server stop. Or wait.', 20, '')).toBe('Stop it:\nparley server stop.\nOr wait.')
    expect(wrap('Next: parley numbers update 6 --nickname <name>', 30, '')).toBe(
      'Next:\nparley numbers update 6 --nickname <name>',
    )
  })
})

test('a folded command line is the same command', () => {
  expect(foldCommand('parley a b --flag "x y" --other z < file', 24, '  ')).toBe(
    'parley a b \\\n    --flag "x y" \\\n    --other z < file',
  )
  expect(foldCommand('parley keys list', 24, '  ')).toBe('parley keys list')
})

describe('on a terminal', () => {
  const long = 'The platform says a good deal about what it did not like in the request that it got.'

  test('long values of a record are aligned with their first line, or below the title on a narrow terminal', async () => {
    const item = { system_prompt: 'Answer the phone of a dental practice, and be friendly.', id: 7 }
    expect(await renderRecord(item, settings({ terminal: true, columns: 40 }))).toBe(
      'System prompt  Answer the phone of a\n               dental practice, and be\n               friendly.\nID             7\n',
    )
    expect(await renderRecord(item, settings({ terminal: true, columns: 30 }))).toBe(
      'System prompt\n  Answer the phone of a dental\n  practice, and be friendly.\nID             7\n',
    )
  })
  test('errors, hints and notes are wrapped; piped they are not', async () => {
    const said = async (sink: ReturnType<typeof memorySink>): Promise<string> => {
      const notes = createNotes(sink, { json: false, quiet: false })
      await notes.error({ code: 'x', message: long, hint: 'Look: parley doctor --profile production --strict' })
      await notes.warn(long)
      return sink.all
    }
    const shown = await said(memorySink({ isTTY: true, columns: 40 }))
    expect(shown.split('\n')).toEqual([
      'error: The platform says a good deal',
      '  about what it did not like in the',
      '  request that it got.',
      'hint: Look:',
      '  parley doctor --profile production --strict',
      'warning: The platform says a good deal',
      '  about what it did not like in the',
      '  request that it got.',
      '',
    ])
    expect((await said(memorySink())).split('\n')).toHaveLength(4)
  })
  test('doctor wraps its sentences to the width, and keeps its codes for programs', async () => {
    const { run, json } = operator()
    const { stdout, exitCode } = await run('doctor', { terminal: true, columns: 60 })
    expect(exitCode).toBe(0)
    // What no space divides, such as a path, is left whole.
    for (const line of stdout.split('\n')) if (textWidth(line) > 60) expect(line.slice(28)).not.toContain(' ')
    expect(stdout).toMatch(/^ok {7}Number provider +Simulated number inventory/m)
    expect(stdout).not.toMatch(/provider_|data_folder|as the profile says/)
    expect((await run('doctor')).stdout).toMatch(/^ok\tData folder\t/m)
    expect((await json('doctor')).map((it: { check: string }) => it.check)).toContain('provider_telephony')
    expect((await run('doctor -o id')).stdout).toContain('data_folder\n')
  })
})
