import { createRandom } from '../soak/cluster/seeded-random.ts'

/** What happens to the answer of a step: it arrives, is lost, or the machine fails before or after it. */
export type Trouble = 'none' | 'lost' | 'crash_before' | 'crash_at_provider' | 'crash_after'

/** One step of a simulation. `roll` decides everything else about it, so a step without its neighbours stays the same. */
export interface Step {
  readonly day: number
  readonly operation: string
  readonly roll: number
  readonly trouble: Trouble
}

/** Chances of troubles, in percent of the steps. */
const troubles: readonly (readonly [Trouble, number])[] = [
  ['lost', 6],
  ['crash_before', 1],
  ['crash_at_provider', 4],
  ['crash_after', 3],
]

/** Returns the steps of a seed: some for each day, each with an operation by its weight. */
export function planOf(seed: number, days: number, weights: Readonly<Record<string, number>>): Step[] {
  const random = createRandom(seed)
  const operations = Object.entries(weights).flatMap(([name, weight]) => Array.from({ length: weight }, () => name))
  return Array.from({ length: days }, (_, day) =>
    Array.from({ length: random.between(6, 12) }, (): Step => {
      let left = random.between(1, 100)
      const trouble = troubles.find(([, percent]) => (left -= percent) <= 0)?.[0] ?? 'none'
      return { day, operation: random.pick(operations), roll: random.between(0, 2 ** 31), trouble }
    }),
  ).flat()
}
