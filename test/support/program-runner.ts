import { readFileSync, writeFileSync } from 'node:fs'
import { execa } from 'execa'
import type { ProcessResult, System } from '../../src/system.ts'
import type { RunOptions } from './operator.ts'

const ended = (exitCode: number): ProcessResult => ({ exitCode, stdout: '', stderr: '' })

/** Returns how an operator runs programs: the editor and the pager of a test, and others for real. */
export const programRunner =
  ({ editor, program }: Pick<RunOptions, 'editor' | 'program'>): System['run'] =>
  async (command, args, { interactive, input }) => {
    if (input !== undefined) return ended(program?.([command, ...args], input) ?? 127)
    if (interactive) return edit(args.at(-1) as string, editor)
    const {
      exitCode = 1,
      stdout,
      stderr,
    } = await execa(command, args, {
      reject: false,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return { exitCode, stdout, stderr }
  }

function edit(file: string, editor: RunOptions['editor']): ProcessResult {
  if (!editor) throw new Error('Nobody is there to edit.')
  writeFileSync(file, editor(readFileSync(file, 'utf8')))
  return ended(0)
}
