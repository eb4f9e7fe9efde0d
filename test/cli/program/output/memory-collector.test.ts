import { expect, test } from 'vitest'
import { createMemoryCollector } from '../../../../src/cli/program/output/memory-collector.ts'

test('between two pages of a long output other events are handled', async () => {
  let isHeard = false
  setImmediate(() => {
    isHeard = true
  })
  await createMemoryCollector()()
  expect(isHeard).toBe(true)
})

test('the memory of printed pages is freed soon', async () => {
  const collect = createMemoryCollector()
  const left: WeakRef<object>[] = []
  for (let page = 0; page < 45; page++) {
    left.push(new WeakRef({ page }))
    await collect()
  }
  expect(left.slice(0, 40).filter((it) => it.deref() !== undefined)).toEqual([])
})
