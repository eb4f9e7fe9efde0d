/**
 * Returns the shortest of up to `tries` runs of `work` in milliseconds; stops at the first below `limitMs`.
 * Other processes can only make a run longer, so the shortest one measures the work itself, even on a busy machine.
 */
export async function shortestMs(work: () => unknown, limitMs: number, tries = 20): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY
  for (let n = 0; n < tries && shortest >= limitMs; n++) {
    const started = performance.now()
    await work()
    shortest = Math.min(shortest, performance.now() - started)
  }
  return shortest
}
