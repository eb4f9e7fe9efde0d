import type { Context } from './context.ts'

/** Milliseconds between two looks. */
const restMs = 500

/**
 * Items as they come, from one after another look, until so many came or somebody stops. `look` gets the id to go on after, undefined at first, and answers
 * what is new and the id to go on after the next time.
 */
export async function* following<T>(
  { world }: Context,
  most: number | undefined,
  look: (after: number | undefined) => Promise<{ readonly items: readonly T[]; readonly last: number }>,
): AsyncIterable<T> {
  let after: number | undefined
  let left = most ?? Number.POSITIVE_INFINITY
  while (left > 0 && !world.signal.aborted) {
    const { items, last } = await look(after)
    for (const it of items.slice(0, left)) yield it
    left -= items.length
    after = last
    if (left > 0) await world.sleep(restMs, world.signal).catch(() => undefined)
  }
}
