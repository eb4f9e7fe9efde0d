import { expect, test } from 'vitest'
import { type RelatedTest, relatedTests, withinBudget } from './related-tests.ts'
import { toSource } from './sources.ts'

const project = Object.entries({
  'src/a/price.ts': '',
  'src/a/shape.ts': '',
  'src/a/buy.ts': `import { price } from './price.ts'\nimport type { Shape } from './shape.ts'`,
  'src/tree.ts': `export const buy = () => import('./a/buy.ts')`,
  'test/support/operator.ts': `import { tree } from '../../src/tree.ts'`,
  'test/a/price.cases.test.ts': `import { price } from '../../src/a/price.ts'`,
  'test/a/shop.test.ts': `import { operator } from '../support/operator.ts'`,
  'test/b/far.test.ts': `import { operator } from '../support/operator.ts'`,
  'test/b/near.test.ts': `import { price } from '../../src/a/price.ts'`,
  'test/b/crash.full.test.ts': `import { price } from '../../src/a/price.ts'`,
  'test/e2e/program.test.ts': `import { price } from '../../src/a/price.ts'`,
  'test/docs/links.test.ts': `const pages = filesIn('docs')`,
  'test/docs/walk.test.ts': `const page = read('docs/buying.md')`,
}).map(([path, text]) => toSource(path, text))

const named = (changed: string): string[] => relatedTests(changed, project).map(({ path, why }) => `${path}: ${why}`)

test('a source runs the test at its path, then tests that use it, those of its folder, and all that reach it', () => {
  expect(named('src/a/price.ts')).toEqual([
    'test/a/price.cases.test.ts: same path',
    'test/b/near.test.ts: uses it',
    'test/a/shop.test.ts: 4 imports away',
    'test/b/far.test.ts: 4 imports away',
  ])
})

test('a source that is only loaded on demand has the tests that load it', () => {
  expect(named('src/a/buy.ts')).toEqual(['test/a/shop.test.ts: 3 imports away', 'test/b/far.test.ts: 3 imports away'])
})

test('a source that is only used for its types has no test, so that nothing seems to be tested', () => {
  expect(named('src/a/shape.ts')).toEqual([])
})

test('a helper of tests runs those that use it, and a test runs itself, also one of the long suite', () => {
  expect(named('test/support/operator.ts')).toEqual(['test/a/shop.test.ts: uses it', 'test/b/far.test.ts: uses it'])
  expect(named('test/b/crash.full.test.ts')).toEqual(['test/b/crash.full.test.ts: changed'])
})

test('a document runs the tests that read it or its folder', () => {
  expect(named('docs/buying.md')).toEqual(['test/docs/links.test.ts: uses it', 'test/docs/walk.test.ts: uses it'])
})

test('the nearest tests of each file come first and fit the budget; those of its path run in any case', () => {
  const tests = (...paths: readonly string[]): RelatedTest[] =>
    paths.map((path) => ({ path, why: path.startsWith('own') ? 'same path' : 'uses it' }))
  const files = [tests('own one', 'a', 'slow', 'b'), tests('own two', 'c', 'a', 'd')]
  const seconds = (path: string): number => (path === 'slow' ? 100 : 1)
  const within = (budget: number): string[] => withinBudget(files, seconds, budget).map(({ path }) => path)
  expect(within(5)).toEqual(['own one', 'own two', 'a', 'c', 'b'])
  expect(within(1)).toEqual(['own one', 'own two'])
  expect(within(1000)).toEqual(['own one', 'own two', 'a', 'c', 'slow', 'b', 'd'])
})
