import { expect, test } from 'vitest'
import { findUnavailableGlobals } from '../../../src/engine/analysis/code-analysis.ts'
import { replaceQuoted } from '../../../src/engine/expressions/quoted-text.ts'

const marked = (source: string, kind: 'expression' | 'code'): string =>
  replaceQuoted(source, kind, (_, isComment) => (isComment ? '#' : '$'))

test.each([
  [`a + 'b' + "c"`, 'a + $ + $'],
  [String.raw`'it\'s' + "say \"x\""`, '$ + $'],
  [`'a "b" c' + "d 'e'"`, '$ + $'],
  ['`${step_1}` // no comment in an expression', '`${step_1}` // no comment in an expression'],
  [`x.replace(/'/g, "y") + step_2`, `x.replace(/'/g, $) + step_2`],
  [`'open`, `'open`],
  ['', ''],
])('strings of the expression %s are found', (source, expected) => expect(marked(source, 'expression')).toBe(expected))

test.each([
  ["a /* 'b' */ + `c ${d}` // e", 'a # + $ #'],
  ["'http://x' //\n'y'", '$ #\n$'],
  ['/* open', '/* open'],
  ["it's\nfetch('x')", "it's\nfetch($)"],
  ["'\\\n' + 1", '$ + 1'],
])('strings and comments of the code %j are found', (source, expected) => expect(marked(source, 'code')).toBe(expected))

test('names outside strings are found, also behind a quote in a regular expression', () => {
  expect(findUnavailableGlobals(`a.replace(/'/g, "") + process.env.X + "window"`).map((it) => it.name)).toEqual([
    'process',
  ])
})

// A search that starts again at every quote would take hours.
test.each([["'\\'"], ['"\\"'], ['`\\`'], ['/* '], ["'\\'\n"], ['//']])('hostile code of many %j ends', (part) => {
  const source = `x ${part.repeat(300_000)}`
  expect(marked(source, 'code')).toContain('x ')
  expect(marked(source, 'expression')).toContain('x ')
})
