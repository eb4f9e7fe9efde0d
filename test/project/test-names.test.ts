import { expect, test } from 'vitest'
import { filesIn, read } from '../support/sources.ts'

/** What a file imports, and the word in its name without which its tests would run in fewer projects than they need. */
const needed: Readonly<Record<string, RegExp>> = {
  cases: / from '[^']*\/support\/case-count\.ts'$/m,
  citus:
    /^import \{[^}]*\b(?:sharded|undistributedUrl)\b[^}]*\} from '[^']*\/support\/databases\.ts'$|\/citus-nodes\.ts'$/m,
  databases: /^import \{[^}]*\bdatabases\b[^}]*\} from '[^']*\/support\/databases\.ts'$/m,
  processes: / from '[^']*\/(?:terminal|program)\.ts'$|^import \{[^}]*\bspawn\b[^}]*\} from 'node:child_process'$/m,
}

/** Returns the words between the name of a test file and its end: `cases` and `full` of `a.cases.full.test.ts`. */
const wordsOf = (path: string): string[] =>
  path
    .slice(path.lastIndexOf('/'))
    .split('.')
    .slice(1, -2)
    .filter((it) => /^[a-z]/.test(it))

/** Returns what is wrong with the name of a test file. */
function complaints(path: string, text: string): string[] {
  const words = wordsOf(path)
  const has = (word: string): boolean => words.includes(word)
  const inNouns = path.startsWith('test/cli/nouns/')
  const required = Object.entries(needed)
    // A file of the long suite has all cases, and runs in a process; in test/e2e the folder says so.
    .filter(([word]) => word === 'databases' || !has('full'))
    .filter(([word]) => word !== 'processes' || !path.startsWith('test/e2e/'))
  return [
    ...words
      .filter((it) => !(it in needed) && !['full', 'neutral', 'public'].includes(it))
      .map((it) => `unknown ${it}`),
    ...(words.join() === [...words].sort().join() || has('full') ? [] : ['words not in alphabetical order']),
    ...(has('full') && words.at(-1) !== 'full' ? ['full is not last'] : []),
    ...required.filter(([word, uses]) => uses.test(text) && !has(word)).map(([word]) => `needs ${word}`),
    ...Object.entries(needed)
      .filter(([word, uses]) => has(word) && !uses.test(text))
      .map(([word]) => `does not need ${word}`),
    ...(has('neutral') && !inNouns ? ['neutral only means something in test/cli/nouns'] : []),
    ...(has('public') && inNouns ? ['public is already said by test/cli/nouns'] : []),
  ]
}

const tests = filesIn('test').filter((it) => it.endsWith('.test.ts'))

test('the name of every test file says in which projects it runs', () => {
  const wrong = tests.map((path) => [path, complaints(path, read(path))] as const)
  expect(wrong.filter(([, found]) => found.length > 0)).toEqual([])
})

test('only test files use all databases or generated cases, so that a name says everything', () => {
  const helpers = filesIn('test').filter((it) => it.endsWith('.ts') && !it.endsWith('.test.ts'))
  const users = helpers.filter((path) => ['cases', 'databases'].some((word) => needed[word]?.test(read(path))))
  expect(users).toEqual([])
})

const databases = `import {\n  databases,\n  opened,\n} from '../support/databases.ts'`
const sqlite = `import { sqlite } from '../support/databases.ts'`
const cases = `import { caseCount } from '../../support/case-count.ts'`
const terminal = `import { onTerminal } from '../support/terminal.ts'`

test.each([
  ['test/a.test.ts', databases, ['needs databases']],
  ['test/a.databases.test.ts', databases, []],
  ['test/a.databases.full.test.ts', databases, []],
  ['test/a.full.test.ts', databases, ['needs databases']],
  ['test/a.test.ts', sqlite, []],
  ['test/a.databases.test.ts', sqlite, ['does not need databases']],
  ['test/a.test.ts', cases, ['needs cases']],
  ['test/a.full.test.ts', cases, []],
  ['test/a.test.ts', terminal, ['needs processes']],
  ['test/a.test.ts', `import { spawn } from 'node:child_process'`, ['needs processes']],
  ['test/e2e/a.test.ts', terminal, []],
  ['test/a.processes.databases.test.ts', `${terminal}\n${databases}`, ['words not in alphabetical order']],
  ['test/a.database.test.ts', '', ['unknown database']],
  ['test/a.full.databases.test.ts', databases, ['full is not last']],
  ['test/a.neutral.test.ts', '', ['neutral only means something in test/cli/nouns']],
  ['test/cli/nouns/a.public.test.ts', '', ['public is already said by test/cli/nouns']],
])('%s with %s: %j', (path, text, expected) => {
  expect(complaints(path, text)).toEqual(expected)
})
