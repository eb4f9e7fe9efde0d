import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../src/platform/store/database/open-store.ts'
import type { Step } from './plan.ts'
import { shrinkPlan } from './shrink-plan.ts'
import { createTemplate, planFor, simulate } from './simulate.ts'
import type { StepRun } from './world.ts'

let template: string
beforeAll(async () => {
  template = await createTemplate()
})
afterAll(() => rmSync(template, { recursive: true, force: true }))

describe('worlds with several accounts, crashes, lost answers, faults and clock jumps', () => {
  const first = Number(process.env.PARLEY_TEST_SEED ?? Math.floor(Math.random() * 1e6))

  test.each(Array.from({ length: 6 }, (_, n) => first + n))(
    'contradict nothing that clients know (npm run simulate -- --from %i --seeds 1 --days 6)',
    async (seed) => {
      expect(await simulate(template, planFor(seed, 6))).toEqual([])
    },
  )
})

describe('a defect', () => {
  const planted: Readonly<Record<string, (run: StepRun) => Promise<void>>> = {
    async lose({ world }) {
      const { write, close } = await openStore({ file: join(world.machine.dataDir, 'platform.db') })
      await write('everything', (query) => query.deleteFrom('tool').where('name', 'like', 's%').execute())
      await close()
    },
    async overcharge({ world }) {
      const { write, close } = await openStore({ file: join(world.machine.dataDir, 'platform.db') })
      await write('everything', (query) => query.updateTable('account').set({ balance: 1 }).execute())
      await close()
    },
  }
  const step = (operation: string): Step => ({ day: 4, operation, roll: 1, trouble: 'none' })

  test.each([
    ['lose', 'was acknowledged and is lost'],
    ['overcharge', 'its ledger says'],
  ])('that does "%s" is found, and left of the plan is what causes it', async (operation, message) => {
    const plan = [...planFor(3, 5), step(operation)]
    const run = (it: readonly Step[]): Promise<string[]> => simulate(template, it, planted)
    expect((await run(plan)).join()).toContain(message)
    const shortest = await shrinkPlan(plan, async (it) => (await run(it)).join().includes(message))
    expect(shortest.map((it) => it.operation)).toContain(operation)
    expect(shortest.length).toBeLessThanOrEqual(3)
  })
})
