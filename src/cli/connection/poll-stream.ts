import type { Context } from '../context.ts'

/** Milliseconds between two looks. */
const pollIntervalMs = 500

/**
 * Items as they come, from one after another look, until so many came or somebody stops. `look` gets the id to go on after, undefined at first, and answers
 * what is new and the id to go on after the next time.
 */
export async function* pollStream<T>(
  { world }: Context,
  limit: number | undefined,
  poll: (after: number | undefined) => Promise<{ readonly items: readonly T[]; readonly last: number }>,
): AsyncIterable<T> {
  let after: number | undefined
  let remaining = limit ?? Number.POSITIVE_INFINITY
  while (remaining > 0 && !world.signal.aborted) {
    const { items, last } = await poll(after)
    for (const it of items.slice(0, remaining)) yield it
    remaining -= items.length
    after = last
    if (remaining > 0) await world.sleep(pollIntervalMs, world.signal).catch(() => undefined)
  }
}
