import { accountFilling, firstId, kinds } from './account-data.ts'
import { cachedData } from './cached-data.ts'
import { type Figure, limit, median } from './measurements.ts'
import { makeHome, program, type RunUsage, runUsage } from './processes.ts'

const section = 'account'
/** How many times as many rows the large account has as the small one. */
const factor = 5

/** What a command is measured for: seconds for all rows, and CPU time of one that grows with the account. */
interface Measured {
  readonly what: string
  readonly args: readonly string[]
  readonly maxSeconds: number
  readonly maxMb?: number
}

const commands: readonly Measured[] = [
  { what: 'doctor', args: ['doctor', '--json'], maxSeconds: 30, maxMb: 500 },
  { what: 'refs of a tool', args: ['refs', 'tools', String(firstId + 7), '--json'], maxSeconds: 1 },
  { what: 'refs of an assistant', args: ['refs', 'assistants', String(firstId + 7), '--json'], maxSeconds: 1 },
  { what: 'assistants get', args: ['assistants', 'get', String(firstId + 7), '--json'], maxSeconds: 1 },
]

/**
 * Measures commands that read an account with `rows` rows of 20 kinds, and how much more CPU time they use than in an account
 * with a fifth of them: a factor of five or less is linear.
 */
export async function account(rounds: number, rows: number, say: (text: string) => void): Promise<readonly Figure[]> {
  const large = await cachedData('account-kinds', Math.round(rows / kinds.length), [accountFilling], say)
  const small = await cachedData('account-kinds', Math.round(rows / kinds.length / factor), [accountFilling], say)
  const home = makeHome()
  try {
    const figures: Figure[] = []
    for (const { what, args, maxSeconds, maxMb } of commands) {
      const run = (data: string): Promise<RunUsage> =>
        runUsage([program, ...args], { ...home.env, PARLEY_DATA_DIR: data }, home.folder, [0, 20])
      const found: { readonly large: RunUsage; readonly small: RunUsage }[] = []
      for (let n = 0; n < rounds; n++) found.push({ small: await run(small), large: await run(large) })
      const name = `${what}, ${rows} rows`
      figures.push({
        section,
        what: name,
        value: median(found.map((it) => it.large.ms)) / 1000,
        unit: 's',
        budget: limit(maxSeconds),
      })
      if (maxMb !== undefined)
        figures.push({
          section,
          what: `${name}: memory`,
          value: median(found.map((it) => it.large.peakMb)),
          unit: 'MB',
          budget: limit(maxMb),
        })
      figures.push({
        section,
        what: `${name} / a fifth of them, CPU time`,
        value: median(found.map((it) => it.large.cpuMs / it.small.cpuMs)),
        unit: 'x',
        budget: limit(factor * 1.2),
      })
    }
    return figures
  } finally {
    home.remove()
  }
}
