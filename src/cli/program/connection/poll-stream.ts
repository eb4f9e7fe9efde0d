import type { Context } from '../context.ts'

/** Milliseconds between two polls. */
const pollIntervalMs = 500

/**
 * Yields items as they arrive, until `limit` is reached or the command is interrupted. `poll` receives the last id,
 * undefined at first, and returns new items and the next last id.
 */
export async function* pollStream<T>(
  { system, pause }: Context,
  limit: number | undefined,
  poll: (after: number | undefined) => Promise<{ readonly items: readonly T[]; readonly last: number }>,
): AsyncIterable<T> {
  let after: number | undefined
  let remaining = limit ?? Number.POSITIVE_INFINITY
  while (remaining > 0 && !system.signal.aborted) {
    const { items, last } = await poll(after)
    for (const item of items.slice(0, remaining)) yield item
    remaining -= items.length
    after = last
    if (remaining > 0) await pause(pollIntervalMs)
  }
}
