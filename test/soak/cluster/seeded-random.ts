/** Random numbers that are the same for the same seed. */
export interface SeededRandom {
  /** Returns a number from 0 to less than 1. */
  next(): number
  /** Returns an integer from `from` to `to`, both included. */
  between(from: number, to: number): number
  pick<T>(list: readonly T[]): T
  /** Returns the items in another order. */
  shuffled<T>(list: readonly T[]): T[]
}

/** Creates a generator of random numbers (mulberry32). */
export function createRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    between,
    pick: (list) => list[between(0, list.length - 1)] as (typeof list)[number],
    shuffled(list) {
      const rest = [...list]
      return list.map(() => rest.splice(between(0, rest.length - 1), 1)[0] as (typeof list)[number])
    },
  }
}
