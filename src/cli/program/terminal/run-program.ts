import type { Options } from 'execa'

/** How a program runs: whether it uses the terminal of the user, and the text of its standard input. */
export interface ProgramOptions {
  readonly interactive: boolean
  readonly input?: string
  /** Variables that replace those of this process. */
  readonly env?: Readonly<Record<string, string>>
}

/** How a program ended, with what it printed. */
export interface ProcessResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. The exit code is 1 if it cannot be started. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { interactive, input, env }: ProgramOptions,
): Promise<ProcessResult> {
  const { execa } = await import('execa')
  const { exitCode, stdout, stderr } = await execa(command, args, {
    reject: false,
    ...standardStreams(interactive, input),
    ...(env && { env }),
  })
  return { exitCode: exitCode ?? 1, stdout: String(stdout ?? ''), stderr: String(stderr ?? '') }
}

/** A program on the terminal may get its input from here, as a pager does. */
function standardStreams(interactive: boolean, input: string | undefined): Options {
  if (input === undefined) return interactive ? { stdio: 'inherit' } : { stdin: 'ignore' }
  return interactive ? { input, stdout: 'inherit', stderr: 'inherit' } : { input }
}
