import { cachedData } from './cached-data.ts'
import { leadFilling } from './lead-data.ts'
import { type Figure, limit, median, quantile } from './measurements.ts'
import { makeHome, program, timed } from './processes.ts'

const section = 'tables'
const rows = 10_000

/**
 * Measures ten thousand leads of the local platform through the command line, over `node -e 0`: as a table, and in
 * formats without one.
 */
export async function tables(rounds: number, say: (text: string) => void): Promise<readonly Figure[]> {
  const folder = await cachedData('leads-alone', rows, [leadFilling], say)
  const { env, remove } = makeHome()
  try {
    const own = { ...env, PARLEY_DATA_DIR: folder }
    const args = (form: string): string[] => [program, 'leads', 'list', '--limit', String(rows), '-o', form]
    const over: Record<string, number[]> = { table: [], ndjson: [] }
    for (const form of Object.keys(over)) await timed(args(form), own)
    for (let round = 0; round < rounds; round++) {
      const floor = await timed(['-e', '0'], env)
      for (const [form, times] of Object.entries(over)) times.push((await timed(args(form), own)) - floor)
    }
    return Object.entries(over).map(([form, times]) => ({
      section,
      what: `leads list -o ${form} of ${rows}, over the floor`,
      value: median(times),
      unit: 'ms',
      spread: [quantile(times, 0.25), quantile(times, 0.75)],
      ...(form === 'table' && { budget: limit(300) }),
    }))
  } finally {
    remove()
  }
}
