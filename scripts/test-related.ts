import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { relatedTests, withinBudget } from '../test/support/related-tests.ts'
import { root, sourcesIn } from '../test/support/sources.ts'

// Runs the tests nearest to files: npm run test:related -- <files>, or -- --changed [<commit>]. With --list, only names
// them; with --all, runs all that reach the files.

/** Seconds that the test files of one run may take together, on both cores of a small machine. */
const budget = 18
/** Seconds that a test file takes before its first test: its sources are loaded for it. */
const loadSeconds = 1

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** Returns the files that differ from a commit, and new ones. */
function changedSince(commit: string): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  return [
    ...git('diff', '--name-only', '--diff-filter=d', commit),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
}

/** Returns how many seconds a test file takes: its tests as vitest remembers them for its own order, 1 if it does not. */
function lastSeconds(): (path: string) => number {
  const cache = join(root, 'node_modules/.vite/vitest')
  const known = new Map<string, number>()
  for (const folder of existsSync(cache) ? readdirSync(cache) : []) {
    const { results } = JSON.parse(readFileSync(join(cache, folder, 'results.json'), 'utf8')) as {
      results: [string, { duration: number }][]
    }
    for (const [key, { duration }] of results) known.set(key.replace(/^neutral:/, ''), duration / 1000)
  }
  return (path) => loadSeconds + (known.get(path) ?? 1)
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { changed: { type: 'boolean' }, list: { type: 'boolean' }, all: { type: 'boolean' } },
})
if (!values.changed && positionals.length === 0)
  fail('Name files, or write --changed: npm run test:related -- src/cli/nouns/tools/commands.ts')

const files = values.changed
  ? changedSince(positionals[0] ?? 'HEAD')
  : positionals.map((it) => relative(root, resolve(it)).replaceAll('\\', '/'))
if (files.length === 0) fail('No file is changed. To compare with a commit, write it: --changed main')
const missing = files.filter((it) => !existsSync(join(root, it)))
if (missing.length > 0) fail(`No such file: ${missing.join(', ')}`)

const sources = sourcesIn('src', 'test')
const related = files.map((file) => ({ file, tests: relatedTests(file, sources) }))
const untested = related.filter(({ tests }) => tests.length === 0).map(({ file }) => file)
const nothing = `No test runs this: ${untested.join(', ')}. Types are checked by npm run typecheck, everything by npm test.`
if (untested.length === files.length || (untested.length > 0 && !values.changed)) fail(nothing)
if (untested.length > 0) process.stderr.write(`${nothing}\n`)

const lists = related.map(({ tests }) => tests)
const chosen = withinBudget(lists, lastSeconds(), values.all ? Number.POSITIVE_INFINITY : budget)
const paths = new Set(chosen.map(({ path }) => path))
const others = new Set(lists.flat().map(({ path }) => path)).size - paths.size
const left = related.filter(({ tests }) => tests.length > 0 && !tests.some(({ path }) => paths.has(path)))
process.stdout.write(`${chosen.map(({ path, why }) => `${path} (${why})`).join('\n')}\n`)
if (others > 0)
  process.stdout.write(
    `${others} other test files reach ${files.length > 1 ? 'these files' : 'this file'}; --all runs them too.\n`,
  )
if (left.length > 0) process.stdout.write(`Not tested by these: ${left.map(({ file }) => file).join(', ')}\n`)
if (!values.list) {
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'neutral', ...paths]
  process.exitCode = spawnSync(process.execPath, vitest, { cwd: root, stdio: 'inherit' }).status ?? 1
}
