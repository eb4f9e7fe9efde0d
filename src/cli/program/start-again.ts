import { spawn } from 'node:child_process'
import { embeddedFiles } from '../../node/bundle-file.ts'

/** How the program is started again. */
export interface RestartOptions {
  /** Flags that are removed, each with its value. */
  readonly without: Readonly<Record<string, 'alone' | 'with_value'>>
  /** Arguments that are added. */
  readonly more: readonly string[]
  /** Descriptor of an open file for both output streams. */
  readonly output: number
}

/** A process that continues when this one ends. */
export interface BackgroundProcess {
  /** 0 if it did not start: `ended` has the reason then. */
  readonly pid: number
  /** Returns how it ended, such as `exit code 1`; undefined while it runs. */
  ended(): string | undefined
}

/** Starts the program again in the background, with the same arguments but some flags: for `parley server start --detach`. */
export function startAgain({ without, more, output }: RestartOptions): BackgroundProcess {
  const [program = '', ...args] = process.argv.slice(1)
  // A single executable is its own program.
  const start = embeddedFiles(import.meta.url) ? [] : [...process.execArgv, program]
  const isLeftOut = (it: string): boolean => Object.hasOwn(without, it.split('=')[0] ?? '')
  const left = args.filter((it, n) => !isLeftOut(it) && without[args[n - 1] ?? ''] !== 'with_value')
  const child = spawn(process.execPath, [...start, ...left, ...more], {
    detached: true,
    stdio: ['ignore', output, output],
    windowsHide: true,
  })
  let ended: string | undefined
  child.once('error', (error) => {
    ended = error.message
  })
  child.once('exit', (code, signal) => {
    ended = signal ?? `exit code ${code}`
  })
  child.unref()
  return { pid: child.pid ?? 0, ended: () => ended }
}
