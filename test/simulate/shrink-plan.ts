import type { Step } from './plan.ts'

/**
 * Returns a shorter plan that still fails: parts are left out as long as it fails, halves first, then single steps.
 * `fails` runs a plan. Stops after `limit` runs.
 */
export async function shrinkPlan(
  plan: readonly Step[],
  fails: (plan: readonly Step[]) => Promise<boolean>,
  limit = 200,
): Promise<readonly Step[]> {
  let shortest = plan
  let runs = 0
  for (let size = Math.ceil(plan.length / 2); size >= 1 && runs < limit; ) {
    let isShorter = false
    for (let start = 0; start < shortest.length && runs < limit; ) {
      const shorter = [...shortest.slice(0, start), ...shortest.slice(start + size)]
      runs += 1
      if (shorter.length > 0 && (await fails(shorter))) {
        shortest = shorter
        isShorter = true
      } else start += size
    }
    if (size === 1 && !isShorter) break
    size = size === 1 ? 1 : Math.ceil(size / 2)
  }
  return shortest
}
