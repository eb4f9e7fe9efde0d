import { dirname } from 'node:path/posix'
import { importsOf, type Source } from './sources.ts'

export interface RelatedTest {
  readonly path: string
  /** Why it was chosen, for the reader: `same path`, `uses it`, `3 imports away`. */
  readonly why: string
}

/** Path of a source file that a test file belongs to, by the rule that `test` mirrors `src`: without its words and end. */
const mirrored = (test: string): string => test.replace(/^test\//, 'src/').replace(/(\.[a-z]+)*\.test\.ts$/, '.ts')

/** Tests that only run in the long suite or on the built program, so that a quick run leaves them out. */
const isSlow = (path: string): boolean => path.endsWith('.full.test.ts') || path.startsWith('test/e2e/')

/** Returns how many folders two paths have in common. */
function nearness(one: string, other: string): number {
  const parts = other.split('/').slice(1, -1)
  const own = one.split('/').slice(1, -1)
  const apart = own.findIndex((part, n) => part !== parts[n])
  return apart < 0 ? own.length : apart
}

/** What a test names that reads a document, script or data file, which nothing imports: its path, or a folder. */
const namesOf = (path: string): readonly string[] => {
  const folders = path.split('/').flatMap((_, n, parts) => (n > 0 ? [`'${parts.slice(0, n).join('/')}'`] : []))
  return [path, ...folders]
}

/** Returns, for every file that needs `changed` when it runs, how many imports away it is. */
function distances(changed: string, sources: readonly Source[]): ReadonlyMap<string, number> {
  const importers = new Map<string, string[]>()
  const isImported = /^(src|test)\/.*\.ts$/.test(changed)
  const add = (target: string, by: string): void => void importers.set(target, [...(importers.get(target) ?? []), by])
  for (const source of sources) {
    for (const { target, kind } of importsOf(source)) if (kind !== 'type') add(target, source.path)
    if (!isImported && namesOf(changed).some((it) => source.text.includes(it))) add(changed, source.path)
  }
  const found = new Map([[changed, 0]])
  for (const [path, distance] of found)
    for (const by of importers.get(path) ?? []) if (!found.has(by)) found.set(by, distance + 1)
  return found
}

/**
 * Returns the tests that run a file, nearest first: the file itself if it is a test, the test at its path, tests that
 * import it, tests of its folder, then all that reach it through static and dynamic imports.
 */
export function relatedTests(changed: string, sources: readonly Source[]): readonly RelatedTest[] {
  const ranked = [...distances(changed, sources)]
    .filter(([path]) => path.endsWith('.test.ts') && (path === changed || !isSlow(path)))
    .map(([path, distance]) => {
      const source = mirrored(path)
      const rank =
        path === changed
          ? 0
          : source === changed
            ? 1
            : distance === 1
              ? 2
              : dirname(source) === dirname(changed)
                ? 3
                : 4
      const why = ['changed', 'same path', 'uses it'][rank] ?? `${distance} imports away`
      return { path, why, order: [rank, distance, -nearness(path, changed)] as const }
    })
  const difference = (a: readonly number[], b: readonly number[]): number =>
    a.map((number, n) => number - (b[n] as number)).find((it) => it !== 0) ?? 0
  return ranked
    .sort((a, b) => difference(a.order, b.order) || (a.path < b.path ? -1 : 1))
    .map(({ path, why }) => ({ path, why }))
}

/**
 * Returns the tests to run for several files: the nearest of each, then the next of each, until the budget of seconds
 * is used. A test that changed, and the test at the path of a file, always run.
 */
export function withinBudget(
  related: readonly (readonly RelatedTest[])[],
  seconds: (path: string) => number,
  budget: number,
): readonly RelatedTest[] {
  const chosen = new Map<string, RelatedTest>()
  let used = 0
  for (let n = 0; n < Math.max(0, ...related.map((it) => it.length)); n++)
    for (const test of related.flatMap((tests) => tests[n] ?? [])) {
      const isOwn = chosen.size === 0 || test.why === 'changed' || test.why === 'same path'
      if (chosen.has(test.path) || (!isOwn && used + seconds(test.path) > budget)) continue
      chosen.set(test.path, test)
      used += seconds(test.path)
    }
  return [...chosen.values()]
}
