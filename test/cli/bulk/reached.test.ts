import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { contentOf, readRowKey, writeRowKey } from '../../../src/cli/bulk/content.ts'
import { openReached } from '../../../src/cli/bulk/reached.ts'

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-reached-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'bulk', 'a.reached')
}

const phone = (n: number): string => `+1415${5_550_000 + n}`

test('who was reached is remembered, many of them, and a record that was cut off spoils nothing', () => {
  const file = place()
  const first = openReached(file)
  for (let n = 0; n < 5000; n++) first.add({ phone: phone(n), ...contentOf({ name: `Anna ${n}` }) }, 1_700_000_000_000 + n * 1000)
  first.synced(1_700_000_000_000)
  first.close()
  appendFileSync(file, 'torn')
  const second = openReached(file)
  expect([0, 4999].map((n) => second.at(phone(n), contentOf({ name: `Anna ${n}` })))).toEqual([1_700_000_000_000, 1_700_004_999_000])
  expect([second.at(phone(1), contentOf({ name: 'Bob' })), second.at(phone(5001), contentOf({ name: 'Anna 1' })), second.syncedTo]).toEqual([
    undefined,
    undefined,
    1_700_000_000_000,
  ])
  second.add({ phone: phone(6000), ...contentOf(undefined) }, 1_700_000_000_000)
  second.close()
  expect(statSync(file).size % 24).toBe(0)
  expect(openReached(file).at(phone(6000), contentOf(undefined))).toBe(1_700_000_000_000)
})

test('the content of a row does not depend on the order of its fields, and a key is only of its own target', () => {
  expect(contentOf({ a: '1', b: { c: 2 } })).toEqual(contentOf({ b: { c: 2 }, a: '1' }))
  expect(contentOf({ a: '1' })).not.toEqual(contentOf({ a: 1 }))
  const key = { phone: '+14155550112', ...contentOf({ a: 1 }) }
  const text = writeRowKey('campaign 1', key)
  expect([readRowKey('campaign 1', text), readRowKey('campaign 2', text), readRowKey('campaign 1', 'x')]).toEqual([key, undefined, undefined])
})
