import { existsSync, readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { spawn } from '@lydell/node-pty'
import { afterFile } from './cleanup.ts'
import { hangMs } from './hang-timeout.ts'
import { keepOpen } from './terminal-end.ts'

/**
 * Waits for a text after the previous one, then types, resizes the terminal, or calls a function and types what it
 * returns; does nothing without a second element.
 */
export type Step = readonly [waitFor: string, then?: string | { readonly columns: number } | (() => unknown)]

export interface TerminalOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Columns (default: 80); 0 for a terminal of unknown width. */
  readonly columns?: number
  /** File that stdout is redirected to; stdin and stderr stay the terminal. */
  readonly stdoutFile?: string
  /** A question at the end of the screen, after the last step, that is answered with Ctrl-C. */
  readonly interrupted?: RegExp
}

export interface Session {
  readonly exitCode: number
  /** Complete output with control sequences. */
  readonly drawn: string
  /** Complete output without control sequences. */
  readonly screen: string
  /** Content of `stdoutFile`. */
  readonly stdout: string
}

/** Keys as a terminal sends them. */
export const keys = { enter: '\r', ctrlC: '\x03', ctrlD: '\x04', down: '\x1b[B' } as const

/**
 * Runs a program on a new terminal and executes the steps. Rejects if it ends before the last of them, or does not end.
 */
export function onTerminal(
  words: readonly string[],
  steps: readonly Step[],
  options: TerminalOptions = {},
): Promise<Session> {
  const { cwd, env = {}, columns = 80, stdoutFile: out, interrupted } = options
  // A width of 0 can only be set from inside.
  const line = `${columns === 0 ? 'stty cols 0; ' : ''}exec "$@"${out ? ` >"${out}"` : ''}`
  const child = spawn('sh', ['-c', line, 'sh', ...words], {
    cols: columns || 80,
    rows: 40,
    ...(cwd && { cwd }),
    env: { TERM: 'xterm-256color', ...env },
  })
  const ending = keepOpen(child)
  const end = (): void => child.kill('SIGKILL')
  let isOver = false
  afterFile(() => isOver || end())
  return new Promise((resolve, reject) => {
    let drawn = ''
    let seen = 0
    let isCalling = false
    const left = [...steps]
    const look = (): void => {
      if (isCalling) return
      const screen = stripVTControlCharacters(drawn)
      const [waitFor, then] = left[0] ?? []
      if (waitFor === undefined) {
        if (interrupted?.test(screen.slice(seen))) {
          seen = screen.length
          child.write(keys.ctrlC)
        }
        return
      }
      const found = screen.indexOf(waitFor, seen)
      if (found < 0) return
      seen = found + waitFor.length
      left.shift()
      if (typeof then === 'string') child.write(then)
      else if (typeof then === 'function') return call(then)
      else if (then) child.resize(then.columns, 40)
      look()
    }
    const call = (action: () => unknown): void => {
      isCalling = true
      Promise.resolve(action()).then((typed) => {
        if (typeof typed === 'string') child.write(typed)
        isCalling = false
        look()
      }, fail)
    }
    const fail = (error: unknown): void => {
      end()
      reject(error)
    }
    const late = setTimeout(() => {
      fail(
        new Error(
          `No end; waiting for ${JSON.stringify(left[0]?.[0])}; on the screen: ${stripVTControlCharacters(drawn)}`,
        ),
      )
    }, hangMs)
    child.onData((data) => {
      drawn = ending.read(drawn + data)
      look()
    })
    child.onExit(({ exitCode, signal }) => {
      clearTimeout(late)
      isOver = true
      const screen = stripVTControlCharacters(drawn)
      if (left.length > 0)
        return reject(
          new Error(
            `Ended with ${exitCode} (signal ${signal}) before ${JSON.stringify(left[0]?.[0])} was said; on the screen: ${screen}`,
          ),
        )
      resolve({ exitCode, drawn, screen, stdout: out && existsSync(out) ? readFileSync(out, 'utf8') : '' })
    })
    look()
  })
}
