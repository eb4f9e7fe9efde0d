import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clock } from '../../src/contract/control/clock.ts'
import { root, sourcesIn } from '../support/sources.ts'

/** Kinds of jobs: the constants whose name ends with JobKind. */
const kinds = new Set(
  sourcesIn('src').flatMap(({ text }) => [...text.matchAll(/JobKind = '([^']+)'/g)].map((it) => it[1])),
)

/** Returns the keys of a table of a source file. */
function keysOf(file: string, table: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const body = text.split(`const ${table}: Readonly<Record<string, string>> = {`)[1]?.split('\n}')[0] ?? ''
  return [...body.matchAll(/^ {2}'?([\w.-]+)'?:/gm)].map((it) => String(it[1]))
}

// Neither file can import the constants: one would load every service with its kinds, the other is a page.
test.each([
  ['src/platform/control/inspection/describe-jobs.ts', 'texts'],
  ['src/inspector/page/clock/clock-page.tsx', 'jobNouns'],
])('%s describes only kinds of jobs that exist', (file, table) => {
  const described = keysOf(file, table)
  expect(described.length).toBeGreaterThan(5)
  expect(described.filter((it) => !kinds.has(it))).toEqual([])
})

test('the clock advances to a job of each kind', () => {
  const { body } = clock.until
  expect([...kinds].filter((what) => !body.safeParse({ what }).success)).toEqual([])
})
