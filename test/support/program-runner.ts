import { readFileSync, writeFileSync } from 'node:fs'
import type { System } from '../../src/cli/program/system.ts'
import { type ProcessResult, runProgram } from '../../src/cli/program/terminal/run-program.ts'
import type { RunOptions } from './operator.ts'

const ended = (exitCode: number): ProcessResult => ({ exitCode, stdout: '', stderr: '' })

/** Returns how an operator runs programs: the editor and the pager of a test, and others for real, from the PATH of the test. */
export const programRunner =
  ({ editor, program, env }: Pick<RunOptions, 'editor' | 'program' | 'env'>): System['run'] =>
  async (command, args, options) => {
    const { interactive, input } = options
    if (interactive && input !== undefined) return ended(program?.([command, ...args], input) ?? 127)
    if (interactive) return edit(args.at(-1) as string, editor)
    return runProgram(command, args, { ...options, ...(env?.PATH !== undefined && { env: { PATH: env.PATH } }) })
  }

async function edit(file: string, editor: RunOptions['editor']): Promise<ProcessResult> {
  if (!editor) throw new Error('Nobody is there to edit.')
  writeFileSync(file, await editor(readFileSync(file, 'utf8')))
  return ended(0)
}
