/** How a program runs: on the terminal of the user, or with `input` as its standard input. */
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
    ...(interactive ? { stdio: 'inherit' as const } : input === undefined ? { stdin: 'ignore' as const } : { input }),
    ...(env && { env }),
  })
  return { exitCode: exitCode ?? 1, stdout: String(stdout ?? ''), stderr: String(stderr ?? '') }
}
