import { describe, expect, test } from 'vitest'
import { databases, temporaryFolder } from '../support/databases.ts'
import { runSoak } from './run-soak.ts'

const runs = Number(process.env.PARLEY_SOAK_RUNS ?? 60)
const kills = Math.max(4, Math.round(runs / 10))

describe.each(databases)('automations on $name in a server that is killed repeatedly', (database) => {
  test(`end all ${runs} runs correctly after ${kills} kills, and record every repeated step`, async () => {
    const target = await database.target()
    const result = await runSoak({
      folder: temporaryFolder(),
      runs,
      kills,
      ...('url' in target && { database: target.url }),
    })
    expect(result.wrong).toEqual([])
    expect(result.acknowledged).toBe(runs)
    expect(result.kills).toBeGreaterThan(0)
  })
})
