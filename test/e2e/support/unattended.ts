import { parley } from './built-program.ts'
import type { Act } from './rollback-drill.ts'

/** Runs a command as a script does: with --yes instead of answers. */
export const byScript: Act = async (line, at, agree) => {
  const { exitCode, stdout, stderr } = await parley(`${line}${agree ? ' --yes' : ''}`, { at })
  return { exitCode, text: `${stdout} ${stderr}`.replaceAll(/\s+/g, ' ') }
}
