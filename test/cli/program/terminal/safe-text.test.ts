import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeLine, safeText } from '../../../../src/cli/program/terminal/safe-text.ts'
import { shortestMs } from '../../../support/timing.ts'

test.each([
  ['a colour', 'a\u001b[31mred\u001b[0m', 'ared'],
  ['a cleared screen', '\u001b[2J\u001b[Hgone', 'gone'],
  ['a window title', '\u001b]0;title\u0007x', 'x'],
  ['a window title ended the other way', '\u001b]0;title\u001b\\x', 'x'],
  ['a link', '\u001b]8;;https://a.example\u001b\\text\u001b]8;;\u001b\\', 'text'],
  ['a device string', '\u001bPq#0\u001b\\x', 'x'],
  ['an eight-bit sequence', '\u009b31mx\u009d0;t\u009cy', 'xy'],
  ['a character set', '\u001b(0x', 'x'],
  ['a reset', '\u001bcx', 'x'],
  ['a bell, a backspace, a carriage return', 'a\u0007b\bc\rd', 'abcd'],
  ['a change of direction', 'a\u202eb\u2066c\u2069', 'abc'],
  ['a sequence without an end', '\u001b]0;title', ']0;title'],
  ['an escape inside an escape', '\u001b\u001b[31m[31mx', '[31mx'],
])('%s does not reach the terminal', (_what, text, safe) => {
  expect(safeText(text)).toBe(safe)
})

test('letters, emoji, tabs and line ends are unchanged', () => {
  const text = 'Zażółć 日本語 👩‍👩‍👧 שלום\n\tx'
  expect(safeText(text)).toBe(text)
})

test('on one line, tabs and line ends become a space', () => {
  expect(safeLine('a\tb\r\nc\u2028d\n')).toBe('a b c d')
})

test('no terminal control character is ever left', () => {
  const piece = fc.constantFrom(
    '\u001b',
    '[',
    ']',
    '\u009b',
    '\u0007',
    '\\',
    '3',
    '1',
    'm',
    ';',
    'P',
    'x',
    '\n',
    '\u202e',
    '(',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      expect(safeText(pieces.join(''))).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/)
    }),
  )
})

test('the time for a hostile text is linear in its length', async () => {
  const texts = ['\u001b]'.repeat(200_000), '\u001b['.repeat(200_000) + '0'.repeat(200_000)]
  expect(await shortestMs(() => texts.map((it) => safeText(it)), 1000)).toBeLessThan(1000)
})
