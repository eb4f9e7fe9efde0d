import type { System } from '../system.ts'
import { isEnabled } from '../terminal/color.ts'

/** Shows text in a pager. Returns false if it was not shown. */
export type Pager = (text: string) => Promise<boolean>

/** Returns the command of the pager of the user: PARLEY_PAGER, otherwise PAGER. */
const pagerCommand = ({ PARLEY_PAGER, PAGER }: System['env']): string => (PARLEY_PAGER ?? PAGER ?? '').trim()

/**
 * Returns the pager for tables on a terminal; undefined without a terminal or a pager, in CI, on a dumb terminal and on
 * Windows. Text that fits the terminal is not paged.
 */
export function findPager(system: System): Pager | undefined {
  const { env, os, streams } = system
  const command = pagerCommand(env)
  if (!streams.stdout.isTTY || isEnabled(env.CI) || env.TERM === 'dumb' || os === 'win32') return undefined
  if (command === '' || command === 'cat') return undefined
  return async (text) => {
    const { rows = 0 } = streams.stdout
    if (rows === 0 || text.split('\n').length <= rows) return false
    // As git does: less keeps colors, and leaves the table on the screen.
    const { exitCode } = await system.run('sh', ['-c', `LESS="\${LESS-FRX}" ${command}`], {
      interactive: true,
      input: text,
    })
    // 126 and 127: the shell cannot run the command.
    return exitCode !== 126 && exitCode !== 127
  }
}
