/**
 * Returns a random sample, in the given order. The same seed and items give the same sample, with which users compare versions: the
 * algorithm never changes.
 */
export function sample<T>(items: readonly T[], count: number, seed: number): readonly T[] {
  const next = random(seed)
  const order = items.map((_, n) => n)
  const taken = Math.min(count, items.length)
  for (let n = 0; n < taken; n++) {
    const other = n + Math.floor(next() * (order.length - n))
    ;[order[n], order[other]] = [order[other] as number, order[n] as number]
  }
  const chosen = new Set(order.slice(0, taken))
  return items.filter((_, n) => chosen.has(n))
}

/** Mulberry32: small, and the same on every machine. */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
