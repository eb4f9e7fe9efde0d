import { join } from 'node:path'
import { onTerminal, type Session, type Step } from '../../support/terminal.ts'
import { newFolder, type Place, program } from './built-program.ts'

export interface AtOptions {
  readonly at: Place
  readonly env?: Readonly<Record<string, string>>
  readonly columns?: number
  /** Sends stdout to a file; stdin and stderr stay the terminal. */
  readonly stdoutToFile?: boolean
  /** A question after the last step that is answered with Ctrl-C. */
  readonly interrupted?: RegExp
}

/** Runs one command line of the built program on a terminal of its own. */
export const atTerminal = (args: string, steps: readonly Step[], options: AtOptions): Promise<Session> =>
  programAtTerminal([...program, ...args.split(' ').filter(Boolean)], steps, options)

/** The same for any program. */
export const programAtTerminal = (
  words: readonly string[],
  steps: readonly Step[],
  { at, env, columns, stdoutToFile, interrupted }: AtOptions,
): Promise<Session> =>
  onTerminal(words, steps, {
    cwd: at.dir,
    env: { ...at.env, ...env },
    ...(columns !== undefined && { columns }),
    ...(interrupted && { interrupted }),
    ...(stdoutToFile && { stdoutFile: join(newFolder(), 'stdout') }),
  })
