import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Finished, newPlace, parley } from './built-program.ts'
import { holdings } from './holdings.ts'

/** Processes that create keys, and others that buy the same number, all at once on a new folder: they make one platform between them, and lose nothing. */
export async function beginTogether(keyCount: number, buyCount: number): Promise<void> {
  const at = newPlace()
  const names = Array.from({ length: keyCount }, (_, n) => `key-${n}`)
  const buys = Array.from({ length: buyCount }, () => '+15005550006')
  const [keys, numbers] = await Promise.all([
    Promise.all(names.map((name) => parley(`keys create --name ${name} -o id`, { at }))),
    Promise.all(buys.map((number) => parley(`numbers buy ${number} --yes -o id`, { at }))),
  ])
  expect(keys.filter((it) => it.exitCode !== 0)).toEqual([])
  expect(numbers.filter((it) => it.exitCode === 0)).toHaveLength(1)
  // Each other one finds the number owned, or the same purchase still in progress, and then sends nothing.
  const refused = numbers.filter((it) => it.exitCode !== 0)
  const isExplained = ({ exitCode, stderr }: Finished): boolean =>
    exitCode === 5 && /already in use|Another process is buying this number .*Nothing was sent/.test(stderr)
  expect(refused.filter((it) => !isExplained(it))).toEqual([])
  const held = holdings(at)
  expect(held.keys).toEqual(expect.arrayContaining(names))
  expect(held.numbers.filter((it) => it === '+15005550006')).toHaveLength(1)
  expect(new Set(keys.map((it) => it.stdout)).size).toBe(names.length)
  expect(existsSync(join(at.data, 'server.json'))).toBe(false)
  expect((await parley('ops list --open --json', { at })).stdout).toBe('[]\n')
}
