import { describe, expect, test } from 'vitest'
import { databases, temporaryFolder } from '../support/databases.ts'
import { sendSoak } from './send-soak.ts'

const sends = Number(process.env.PARLEY_SOAK_SENDS ?? 60)
const accounts = Math.min(40, Math.ceil(sends / 5))

describe.each(databases)('a server on $name that is killed in the middle', (database) => {
  test(`sends each of ${sends} messages of ${accounts} accounts once, and the ledger matches`, async () => {
    const target = await database.target()
    const result = await sendSoak({
      folder: temporaryFolder(),
      sends,
      accounts,
      kills: 2,
      ...('url' in target && { database: target.url }),
    })
    expect(result.wrong).toEqual([])
    expect(result.acknowledged).toBe(sends)
    expect(result.resent).toBeGreaterThan(0)
  })
})
