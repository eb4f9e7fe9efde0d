import { describe, expect, test } from 'vitest'
import { databases, temporaryFolder } from '../support/databases.ts'
import { soak } from './purchase-soak.ts'

const purchases = Number(process.env.PARLEY_SOAK_PURCHASES ?? 150)

describe.each(databases)('a server on $name that is killed in the middle', (database) => {
  test(`preserves each of ${purchases} acknowledged purchases, sells nothing twice and leaves nothing incomplete`, async () => {
    const target = await database.target()
    const result = await soak({
      folder: temporaryFolder(),
      purchases,
      ...('url' in target && { database: target.url }),
    })
    expect(result.wrong).toEqual([])
    expect(result.acknowledged).toBe(purchases)
    expect(result.resent).toBeGreaterThan(0)
  })
})
