import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { formatRowKey, hashContent, parseRowKey } from '../../../../src/cli/features/bulk/content-hash.ts'
import { openSentIndex } from '../../../../src/cli/features/bulk/earlier-sends.ts'

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-reached-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'bulk', 'a.reached')
}

const phone = (n: number): string => `+1415${5_550_000 + n}`

test('reached recipients are remembered, and a record that was cut off is ignored', () => {
  const file = place()
  const first = openSentIndex(file)
  for (let n = 0; n < 5000; n++)
    first.add({ phone: phone(n), ...hashContent({ name: `Anna ${n}` }) }, 1_700_000_000_000 + n * 1000)
  first.markSynced(1_700_000_000_000)
  first.close()
  appendFileSync(file, 'torn')
  const second = openSentIndex(file)
  expect([0, 4999].map((n) => second.at(phone(n), hashContent({ name: `Anna ${n}` })))).toEqual([
    1_700_000_000_000, 1_700_004_999_000,
  ])
  expect([
    second.at(phone(1), hashContent({ name: 'Bob' })),
    second.at(phone(5001), hashContent({ name: 'Anna 1' })),
    second.syncedTo,
  ]).toEqual([undefined, undefined, 1_700_000_000_000])
  second.add({ phone: phone(6000), ...hashContent(undefined) }, 1_700_000_000_000)
  second.close()
  expect(statSync(file).size % 24).toBe(0)
  expect(openSentIndex(file).at(phone(6000), hashContent(undefined))).toBe(1_700_000_000_000)
})

test('the content hash of a row does not depend on the order of its fields', () => {
  expect(hashContent({ a: '1', b: { c: 2 } })).toEqual(hashContent({ b: { c: 2 }, a: '1' }))
  expect(hashContent({ a: '1' })).not.toEqual(hashContent({ a: 1 }))
  const key = { phone: '+14155550112', ...hashContent({ a: 1 }) }
  const text = formatRowKey('campaign 1', key)
  expect([parseRowKey('campaign 1', text), parseRowKey('campaign 2', text), parseRowKey('campaign 1', 'x')]).toEqual([
    key,
    undefined,
    undefined,
  ])
})
