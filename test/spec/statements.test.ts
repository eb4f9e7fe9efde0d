import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { read, root } from '../support/sources.ts'
import { awaitedParts, refer, statements } from './statements.ts'
import { mayEndWith, titlesIn } from './test-titles.ts'

const all = statements()

test('every statement of the specification has a test, or names what it waits for', () => {
  const holes = all.filter(
    ({ tests, planned }) => (tests === undefined || tests.length === 0) === (planned === undefined),
  )
  expect(holes.map((it) => it.id)).toEqual([])
  expect(
    all.filter(({ planned }) => planned !== undefined && !awaitedParts.includes(planned)).map((it) => it.id),
  ).toEqual([])
})

test('every test that a statement names exists', () => {
  const known = new Map<string, ReturnType<typeof titlesIn>>()
  const missing = all.flatMap(({ id, tests = [] }) =>
    tests
      .filter((test) => {
        const { file, name } = refer(test)
        if (!known.has(file)) known.set(file, existsSync(join(root, file)) ? titlesIn(read(file)) : [])
        return !mayEndWith(known.get(file) ?? [], name)
      })
      .map((it) => `${id}: ${it}`),
  )
  expect(missing).toEqual([])
})

test('statements are named after their section, in its order, and each has different words', () => {
  expect(all.filter((it) => !/^[1-8](\.\d+)?(\.[\w-]+)*$/.test(it.id)).map((it) => it.id)).toEqual([])
  expect(
    all.filter((it) => typeof it.says !== 'string' || it.says.length < 3 || it.says.length > 200).map((it) => it.id),
  ).toEqual([])
  expect([...new Set(all.map((it) => it.id.charAt(0)))]).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'])
  expect(all.length).toBeGreaterThan(550)
})

test('a name without a test is detected, and a case of a table is matched by its title', () => {
  const titles = titlesIn(
    `describe.each(x)('of $a.b', () => { test.each(y)('is %j: %s', () => {}); for (const z of y) test(\`ends \${z}.\`, () => {}) })`,
  )
  for (const name of ['is {"a":1}: no', 'of it > is 1: 2', 'ends well.'])
    expect(mayEndWith(titles, name), name).toBe(true)
  for (const name of ['is 1', 'of it', 'it > is 1: 2', 'begins well.', 'ends well'])
    expect(mayEndWith(titles, name), name).toBe(false)
})
