import { describe, expect, test } from 'vitest'
import {
  type ColorFlags,
  colorFor,
  type Env,
  isEnabled,
  loadPaint,
} from '../../../../src/cli/program/terminal/color.ts'

const terminal = { isTTY: true }
const pipe = { isTTY: false }
const cases: [what: string, flags: ColorFlags, env: Env, onTerminal: boolean, onPipe: boolean][] = [
  ['nothing said', {}, {}, true, false],
  ['--color auto', { color: 'auto' }, {}, true, false],
  ['--color always', { color: 'always' }, { NO_COLOR: '1', TERM: 'dumb' }, true, true],
  ['--color never', { color: 'never' }, { FORCE_COLOR: '3' }, false, false],
  ['--no-color', { color: false }, { FORCE_COLOR: '1' }, false, false],
  ['NO_COLOR', {}, { NO_COLOR: '1' }, false, false],
  ['NO_COLOR=0, which is some text', {}, { NO_COLOR: '0' }, false, false],
  ['an empty NO_COLOR', {}, { NO_COLOR: '' }, true, false],
  ['NO_COLOR against FORCE_COLOR', {}, { NO_COLOR: '1', FORCE_COLOR: '1' }, false, false],
  ['FORCE_COLOR', {}, { FORCE_COLOR: '1', TERM: 'dumb' }, true, true],
  ['FORCE_COLOR=0', {}, { FORCE_COLOR: '0' }, false, false],
  ['FORCE_COLOR=false', {}, { FORCE_COLOR: 'false' }, false, false],
  ['CLICOLOR_FORCE', {}, { CLICOLOR_FORCE: '1' }, true, true],
  ['CLICOLOR_FORCE=0', {}, { CLICOLOR_FORCE: '0' }, true, false],
  ['CLICOLOR=0', {}, { CLICOLOR: '0' }, false, false],
  ['CLICOLOR=1', {}, { CLICOLOR: '1' }, true, false],
  ['TERM=dumb', {}, { TERM: 'dumb' }, false, false],
]

describe('colour', () => {
  test.each(cases)('%s', (_what, flags, env, onTerminal, onPipe) => {
    expect([colorFor(terminal, flags, env), colorFor(pipe, flags, env)]).toEqual([onTerminal, onPipe])
  })

  test('that is enabled uses the theme of the terminal, whatever the environment says', async () => {
    const styles = await loadPaint(true)
    expect(styles.red('x')).toBe('\u001b[31mx\u001b[39m')
    expect(styles.bold('x')).toBe('\u001b[1mx\u001b[22m')
  })

  test('that is disabled leaves text unchanged', async () => {
    const styles = await loadPaint(false)
    for (const style of Object.values(styles)) expect(style('x')).toBe('x')
  })
})

test('a variable is enabled unless its value is a form of no', () => {
  expect(['1', 'true', 'yes'].map(isEnabled)).toEqual([true, true, true])
  expect([undefined, '', '0', 'false', 'FALSE'].map(isEnabled)).toEqual([false, false, false, false, false])
})
