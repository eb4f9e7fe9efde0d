import { allCommands } from '../../src/generate/reference-files.ts'
import { type Figure, limit, median } from './measurements.ts'
import { makeHome, program, timed } from './processes.ts'

const section = 'helps'
/** Number of slowest commands that are listed. */
const shown = 10

/**
 * Measures `--help` of every command against `node -e 0`, in turns: the median and the slowest.
 * Uses the best round of each, because with so many commands some rounds are always disturbed.
 */
export async function helps(rounds: number): Promise<readonly Figure[]> {
  const { env, remove } = makeHome()
  try {
    const subjects = (await allCommands()).map(([words]) => ({
      words,
      args: [program, ...words.split(' '), '--help'],
      times: [] as number[],
    }))
    const floor: number[] = []
    for (const { args } of subjects.slice(0, 2)) await timed(args, env)
    for (let round = 0; round < rounds; round++) {
      floor.push(await timed(['-e', '0'], env))
      for (const { args, times } of subjects) times.push(await timed(args, env))
    }
    const figures = subjects.map(
      ({ words, times }): Figure => ({
        section,
        what: `${words} --help`,
        value: Math.min(...times) / Math.min(...floor),
        unit: 'x',
        budget: limit(1.4),
      }),
    )
    const slowest = figures.toSorted((a, b) => b.value - a.value).slice(0, shown)
    return [
      {
        section,
        what: `--help of ${figures.length} commands, the middle one`,
        value: median(figures.map((it) => it.value)),
        unit: 'x',
        budget: limit(1.4),
      },
      ...slowest,
    ]
  } finally {
    remove()
  }
}
