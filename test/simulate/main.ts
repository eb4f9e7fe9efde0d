/**
 * Simulates whole worlds: accounts, purchases, messages, crashes, lost answers, faults and clock jumps, decided by one
 * integer each. `npm run simulate -- [--seeds 200] [--days 30] [--from <first seed>]`. A seed that fails is run again
 * with fewer steps, until nothing can be left out, and its steps are printed.
 */
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { shrinkPlan } from './shrink-plan.ts'
import { createTemplate, describe, planFor, simulate } from './simulate.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    days: { type: 'string', default: '30' },
    from: { type: 'string', default: '1' },
  },
})
const [seeds, days, from] = [values.seeds, values.days, values.from].map(Number) as [number, number, number]
if (![seeds, days, from].every((it) => Number.isInteger(it) && it > 0)) {
  process.stderr.write('Usage: npm run simulate -- [--seeds 200] [--days 30] [--from 1]\n')
  process.exit(2)
}
const template = await createTemplate()
const started = performance.now()
let steps = 0
let failed = 0
for (let seed = from; seed < from + seeds; seed++) {
  const plan = planFor(seed, days)
  const wrong = await simulate(template, plan)
  steps += plan.length
  if (wrong.length === 0) continue
  failed += 1
  process.stdout.write(`Seed ${seed} failed:\n${wrong.map((it) => `  ${it}`).join('\n')}\n`)
  // Shorter plans must fail in the same way: ids, numbers and the step differ.
  const kindOf = (list: readonly string[]): string =>
    list[0]?.replace(/^after step .*?\): /, '').replace(/[+\w]*\d+/g, '') ?? ''
  const shortest = await shrinkPlan(
    plan,
    async (shorter) => kindOf(await simulate(template, shorter)) === kindOf(wrong),
  )
  const again = await simulate(template, shortest)
  process.stdout.write(
    `${shortest.length} steps are enough:\n${shortest.map((it) => `  ${describe(it)}`).join('\n')}\n`,
  )
  process.stdout.write(`${again.map((it) => `  ${it}`).join('\n')}\n`)
}
rmSync(template, { recursive: true, force: true })
const seconds = ((performance.now() - started) / 1000).toFixed(0)
process.stdout.write(`${seeds} worlds of ${days} days, ${steps} steps in ${seconds} s: ${failed} failed\n`)
process.exit(failed > 0 ? 1 : 0)
