import { type Format, formats } from '../../../../src/cli/program/output/format.ts'
import type { RunOptions } from '../../../support/operator.ts'

/** Where a command may find itself, beside the terminal of a person. */
export const surroundings: Readonly<Record<string, RunOptions>> = {
  'no terminal and nothing said about one': { env: { NO_COLOR: undefined, CI: undefined, TERM: undefined } },
  'a terminal with NO_COLOR': { terminal: true, env: { NO_COLOR: '1', CI: undefined, TERM: 'xterm-256color' } },
  'a terminal in CI': { terminal: true, env: { NO_COLOR: undefined, CI: '1', TERM: 'xterm-256color' } },
  'a dumb terminal': { terminal: true, env: { NO_COLOR: undefined, CI: undefined, TERM: 'dumb' } },
  'a terminal of 0 columns': {
    terminal: true,
    columns: 0,
    env: { NO_COLOR: undefined, CI: undefined, TERM: 'xterm-256color' },
  },
}

export interface Surrounded {
  readonly name: string
  readonly options: RunOptions
  readonly format: Format
}

/**
 * Every surrounding, each with one form: all thirty together would take a minute and find nothing that these do not, as the nth command meets
 * others than the one before it. Each command meets every surrounding, and each surrounding every form, in many commands.
 */
export const surroundingsOf = (nth: number): Surrounded[] =>
  Object.entries(surroundings).map(([name, options], n) => ({
    name,
    options,
    format: formats[(nth + n) % formats.length] as Format,
  }))

// biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor, hides it, or clears what is drawn
export const moving = /\x1b\[[\d;?]*[A-HJKSTfhl]|\r(?!\n)/
// biome-ignore lint/suspicious/noControlCharactersInRegex: any sequence at all
export const drawing = /\x1b|[│─┌]/
