import { expect, test } from 'vitest'
import { detectDrifts } from './detect-drift.ts'
import { groups, quickGroups } from './drift-groups.ts'

// detect-drift.full.test.ts has the others.
detectDrifts(quickGroups)

test('there are enough planted drifts, in every place', () => {
  const all = Object.values(groups).flat()
  expect(all.length).toBeGreaterThanOrEqual(90)
  for (const planted of Object.values(groups))
    expect(new Set(planted.map((it) => it.endpoint)).size).toBe(planted.length)
})
