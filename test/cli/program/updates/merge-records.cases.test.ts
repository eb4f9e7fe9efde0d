import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeRecords } from '../../../../src/cli/program/updates/merge-records.ts'
import { caseCount } from '../../../support/case-count.ts'

const named = fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), value: fc.integer() }), {
  selector: (it) => it.name,
})
const value = fc.oneof(
  fc.integer(),
  fc.string(),
  fc.boolean(),
  fc.array(fc.anything({ withNullPrototype: false, maxDepth: 1, withBigInt: false })),
  named,
  fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.integer(), { noNullPrototype: true }),
)
const record = fc.dictionary(fc.constantFrom('one', 'two', 'three', 'four', '__proto__'), value, {
  noNullPrototype: true,
})
const check = <T extends unknown[]>(property: fc.IProperty<T>): void =>
  fc.assert(property, { numRuns: caseCount(2000, 200) })
const own = (it: object, name: string): unknown => Object.getOwnPropertyDescriptor(it, name)?.value
const swapped = (conflict: { path: string; base: unknown; theirs: unknown; mine: unknown }): object => ({
  path: conflict.path,
  base: conflict.base,
  theirs: conflict.mine,
  mine: conflict.theirs,
})

describe('every merge of two changes', () => {
  test('of which only one differs from the base is that one', () => {
    check(
      fc.property(record, record, (base, changed) => {
        for (const merged of [mergeRecords(base, changed, base), mergeRecords(base, base, changed)])
          expect(merged).toMatchObject({ merged: changed, conflicts: [] })
      }),
    )
  })

  test('that are the same is that change', () => {
    check(
      fc.property(record, record, (base, changed) => {
        expect(mergeRecords(base, changed, changed)).toEqual({ merged: changed, conflicts: [], adopted: [] })
      }),
    )
  })

  test('of different fields is both of them, in either order', () => {
    check(
      fc.property(record, record, record, (base, one, other) => {
        const mine = { ...base, ...one }
        const theirs = { ...base, ...Object.fromEntries(Object.entries(other).filter(([name]) => !(name in one))) }
        const both = { ...mine, ...theirs, ...one }
        for (const merge of [mergeRecords(base, mine, theirs), mergeRecords(base, theirs, mine)]) {
          expect(merge.merged).toEqual(both)
          expect(merge.conflicts).toEqual([])
        }
      }),
    )
  })

  test('has the same conflicts for both sides, and the value of the preferred side at each', () => {
    check(
      fc.property(record, record, record, (base, mine, theirs) => {
        const conflicts = mergeRecords(base, mine, theirs).conflicts
        const seenByOthers = mergeRecords(base, theirs, mine).conflicts.map(swapped)
        const byPath = (a: object, b: object): number => JSON.stringify(a).localeCompare(JSON.stringify(b))
        expect([...conflicts].sort(byPath)).toEqual(seenByOthers.sort(byPath))
        for (const { path, ...conflict } of conflicts.filter((one) => !one.path.includes('.')))
          for (const prefers of ['mine', 'theirs'] as const)
            expect(own(mergeRecords(base, mine, theirs, { prefers }).merged, path)).toEqual(conflict[prefers])
      }),
    )
  })

  test('of a list with names loses no added entry, and no entry that only one side changed', () => {
    check(
      fc.property(named, named, named, (base, mine, theirs) => {
        const merge = mergeRecords({ list: base }, { list: mine }, { list: theirs })
        if (merge.conflicts.length > 0) return
        const list = merge.merged.list as typeof base
        const find = (all: typeof base, name: string) => all.find((it) => it.name === name)?.value
        for (const name of ['a', 'b', 'c', 'd']) {
          const [was, ours, others] = [base, mine, theirs].map((it) => find(it, name))
          expect(find(list, name)).toBe(ours === was ? others : ours)
        }
        expect(new Set(list.map((it) => it.name)).size).toBe(list.length)
      }),
    )
  })
})

test('changes of different headers are merged, and of one header a conflict with all three values', () => {
  const base = {
    headers: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
  }
  const mine = {
    headers: [
      { name: 'A', value: '9' },
      { name: 'B', value: '2' },
      { name: 'C', value: '3' },
    ],
  }
  expect(mergeRecords(base, mine, { headers: [{ name: 'B', value: '7' }] })).toEqual({
    merged: {
      headers: [
        { name: 'A', value: '9' },
        { name: 'B', value: '7' },
        { name: 'C', value: '3' },
      ],
    },
    conflicts: [
      { path: 'headers.A', base: { name: 'A', value: '1' }, theirs: undefined, mine: { name: 'A', value: '9' } },
    ],
    adopted: [{ path: 'headers.B', base: { name: 'B', value: '2' }, theirs: { name: 'B', value: '7' } }],
  })
  expect(
    mergeRecords(base, mine, {
      headers: [
        { name: 'A', value: '8' },
        { name: 'B', value: '2' },
      ],
    }),
  ).toMatchObject({
    conflicts: [{ path: 'headers.A.value', base: '1', theirs: '8', mine: '9' }],
    merged: { headers: mine.headers },
  })
})

test('lists of names keep the order of the side that changed it, and two orders are a conflict', () => {
  const merge = (mine: string[], theirs: string[]) =>
    mergeRecords({ ids: ['a', 'b', 'c'] }, { ids: mine }, { ids: theirs })
  expect(merge(['c', 'b', 'a'], ['a', 'x', 'b', 'c']).merged).toEqual({ ids: ['c', 'b', 'a', 'x'] })
  expect(merge(['a', 'b', 'c', 'd'], ['b', 'a', 'c']).merged).toEqual({ ids: ['b', 'a', 'c', 'd'] })
  expect(merge(['c', 'b', 'a'], ['b', 'a', 'c']).conflicts).toMatchObject([{ path: 'ids' }])
})

test('a value that is merged as a whole is a conflict also where different parts of it changed', () => {
  const base = { steps: { one: { a: 1, b: 1 } } }
  const [mine, theirs] = [{ steps: { one: { a: 2, b: 1 } } }, { steps: { one: { a: 1, b: 2 } } }]
  expect(mergeRecords(base, mine, theirs).merged).toEqual({ steps: { one: { a: 2, b: 2 } } })
  const isWhole = (path: string): boolean => path.startsWith('steps.')
  expect(mergeRecords(base, mine, theirs, { isWhole }).conflicts).toMatchObject([{ path: 'steps.one' }])
})
