import { expect, test } from 'vitest'
import { newPlace, parley } from './support/built-program.ts'

test('profiles that several processes set at the same time are all saved with their keys', async () => {
  const at = newPlace()
  const names = [...Array(6).keys()].map((n) => `p${n}`)
  const set = await Promise.all(
    names.map((name) =>
      parley(`profile set ${name} --url http://127.0.0.1:1 --api-key-stdin`, { at, input: `1|key-of-${name}` }),
    ),
  )
  expect(set.map((it) => it.exitCode)).toEqual(names.map(() => 0))
  const listed = JSON.parse((await parley('profile list --json', { at })).stdout) as Record<string, unknown>[]
  expect(listed.map((it) => it.name).sort()).toEqual([...names, 'local'].sort())
  for (const name of names) expect(JSON.stringify(listed.find((it) => it.name === name))).toContain(`f-${name}`)
})
