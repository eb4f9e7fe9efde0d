import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { markDamage, markerName, markFiles } from '../../../../src/node/folder-marker.ts'
import { sqlite } from '../../../support/databases.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const markerOf = (dataDir: string) => JSON.parse(readFileSync(join(dataDir, markerName), 'utf8'))

test('a platform that starts empty marks its folder when it is filled', async () => {
  const { control, place } = await fresh(sqlite, { empty: true })
  expect(() => markerOf(place.dataDir)).toThrow('ENOENT')
  expect((await control('POST', '/control/seed', { seed: 1 })).status).toBeLessThan(300)
  expect(markerOf(place.dataDir).files).toContain('platform.db')
})

test.each([
  ['with data', false],
  ['empty, and is filled', true],
])('a reset of a platform that starts %s accepts what its folder has lost', async (_, empty) => {
  const { control, place } = await fresh(sqlite, { empty })
  if (empty) await control('POST', '/control/seed', { seed: 1 })
  const journal = join(place.dataDir, 'spends.ndjson')
  writeFileSync(journal, '{}\n')
  markFiles(place.dataDir, ['spends.ndjson'])
  markDamage(place.dataDir, '2027-01-15T09:30:00Z')
  rmSync(journal)
  expect(markerOf(place.dataDir)).toMatchObject({
    files: expect.arrayContaining(['platform.db', 'spends.ndjson']),
    damaged_at: '2027-01-15T09:30:00Z',
  })
  expect((await control('POST', '/control/reset', { seed: 1 })).status).toBeLessThan(300)
  const { files, damaged_at } = markerOf(place.dataDir)
  expect([files, damaged_at]).toEqual([expect.not.arrayContaining(['spends.ndjson']), undefined])
})
