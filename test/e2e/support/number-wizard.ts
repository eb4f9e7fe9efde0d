import { expect, test } from 'vitest'
import { keys, type Step } from '../../support/terminal.ts'
import type { Place } from './built-program.ts'
import { numbersOf } from './holdings.ts'
import { atTerminal } from './program-terminal.ts'

/** Answers that choose a British number, up to the question whether to buy it. */
export const drawn: readonly Step[] = [
  ['US  United States', 'GB'],
  ['❯ GB  United Kingdom', keys.enter],
  ['Filter by digits (optional):', `20${keys.enter}`],
  ['Which number?'],
  ['❯ +44', keys.enter],
]
/** The same where nothing is redrawn. */
export const lines: readonly Step[] = [
  ['3. GB  United Kingdom'],
  ['Enter a number from 1 to 10:', `3${keys.enter}`],
  ['Filter by digits (optional):', `20${keys.enter}`],
  ['1. +44'],
  ['Enter a number from 1 to', `1${keys.enter}`],
]
export const price =
  /Buy (\+44\d+) for 1\.30 USD\/month until you release it \(non-refundable; address required: local\)\? \(y\/N\)/
// biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor or clears what is drawn
const moving = /\x1b\[[\d;]*[A-HJKSTf]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours, not bold or dim
const colors = /\x1b\[(?:3\d|9\d|4\d)m/

export const unfolded = (screen: string): string => screen.replaceAll(/\s+/g, ' ')

type Look = readonly [
  name: string,
  steps: readonly Step[],
  options: { readonly columns?: number; readonly env?: Readonly<Record<string, string>> },
]

/** Terminals of every kind. */
export const looks: readonly Look[] = [
  ['80 columns', drawn, { columns: 80 }],
  ['200 columns', drawn, { columns: 200 }],
  ['no colour', drawn, { env: { NO_COLOR: '1' } }],
  ['a screen reader', lines, { env: { ACCESSIBLE: '1' } }],
  ['a dumb terminal', lines, { env: { TERM: 'dumb' } }],
  ['a terminal of no width', lines, { columns: 0 }],
]

/** Somebody who only presses Enter buys nothing. */
export function enterBuysNothing(at: Place, some: readonly Look[]): void {
  test.each(some)('with %s Enter alone buys nothing and exits with 10', async (name, steps, options) => {
    const before = numbersOf(at)
    const {
      exitCode,
      drawn: raw,
      screen,
    } = await atTerminal('numbers buy', [...steps, ['(y/N)', keys.enter]], { at, ...options })
    expect(exitCode).toBe(10)
    expect(unfolded(screen)).toMatch(price)
    expect(screen).toMatch(/1\.30 USD\/month {2}(no )?SMS {2}address: local/)
    expect(screen).toMatch(/Cancelled\.\s+hint: Nothing was changed\./)
    if (steps === lines) expect(raw).not.toMatch(moving)
    if (name === 'no colour' || name === 'a dumb terminal') expect(raw).not.toMatch(colors)
    expect(numbersOf(at)).toEqual(before)
  })
}

type Ending = readonly [
  where: string,
  steps: readonly Step[],
  question: string,
  key: string,
  env?: Readonly<Record<string, string>>,
]

const read = { ACCESSIBLE: '1' }

/** Every question, and how it can be left. */
export const endings: readonly Ending[] = [
  ['at the country', drawn.slice(0, 0), 'Which country?', keys.ctrlC],
  ['at the digits', drawn.slice(0, 2), 'Filter by digits', keys.ctrlC],
  ['at the number', drawn.slice(0, 3), '❯ +44', keys.ctrlC],
  ['at the price', drawn, '(y/N)', keys.ctrlC],
  ['at the price, with y already typed', drawn, '(y/N)', `y${keys.ctrlC}`],
  ['with the end of input', drawn.slice(0, 2), 'Filter by digits', keys.ctrlD],
  ['line by line at the country', lines.slice(0, 1), 'Enter a number from 1 to 10:', keys.ctrlC, read],
  ['line by line at the digits', lines.slice(0, 2), 'Filter by digits (optional):', keys.ctrlC, read],
  ['line by line at the number', lines.slice(0, 4), 'Enter a number from 1 to', keys.ctrlC, read],
  ['line by line at the price', lines, '(y/N)', keys.ctrlC, read],
]

/** Who gives up buys nothing. */
export function givingUpBuysNothing(at: Place, some: readonly Ending[]): void {
  for (const [where, steps, question, key, env = {}] of some)
    test(`cancelled ${where} exits with 130 and buys nothing`, async () => {
      const before = numbersOf(at)
      const { exitCode, stdout } = await atTerminal('numbers buy', [...steps, [question, key]], {
        at,
        env,
        stdoutToFile: true,
      })
      expect([exitCode, stdout]).toEqual([130, ''])
      expect(numbersOf(at)).toEqual(before)
    })
}
