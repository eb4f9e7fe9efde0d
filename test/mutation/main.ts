/**
 * Changes the sources in small ways and says which changes no test of `npm test` in process notices:
 * `npm run mutants -- --seed 7 --count 60`. It works in a copy, and runs for each mutant only the test files that reach it.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, sourcesIn } from '../support/sources.ts'
import { choose, type Mutant, mutantsOf, withSwitches } from './mutants.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '7' },
    count: { type: 'string', default: '60' },
    keep: { type: 'boolean', default: false },
  },
})
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const sources = sourcesIn('src').filter(({ path }) => !/^src\/(generated|generate|inspector\/page)\//.test(path))
const all = sources.flatMap(mutantsOf)
const mutants = choose(all, Number(values.count), Number(values.seed)).map((it, number) => ({ ...it, number }))
say(`Seed ${values.seed}: ${mutants.length} of ${all.length} mutants.`)

const copy = mkdtempSync(join(tmpdir(), 'parley-mutants-'))
// Some tests run programs as another user.
chmodSync(copy, 0o755)
const hitsFile = join(copy, 'hits.ndjson')

/** Copies the files of the repository, with switches for the mutants, and links the packages. */
function prepare(): void {
  for (const path of execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 64e6 }).split(
    '\0',
  )) {
    if (path === '' || !existsSync(join(root, path))) continue
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    cpSync(join(root, path), join(copy, path))
  }
  mkdirSync(join(copy, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!/^\.(cache|vite)/.test(name)) symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  for (const { path, text } of sources) {
    const own = mutants.filter((it) => it.path === path)
    if (own.length > 0) writeFileSync(join(copy, path), withSwitches(text, own))
  }
  appendFileSync(
    join(copy, 'test/support/setup.ts'),
    `
import { appendFileSync as append } from 'node:fs'
import { expect as asked } from 'vitest'
const active = Number(process.env.PARLEY_MUTANT ?? -1)
const reached = new Set<number>()
;(globalThis as never as Record<string, unknown>).mutant = (n: number) => (reached.add(n), n === active)
const file = asked.getState().testPath
afterAll(() => {
  if (active < 0) append(${JSON.stringify(hitsFile)}, JSON.stringify({ file, reached: [...reached] }) + '\\n')
})
`,
  )
}

/** Runs test files, or all, and returns whether a test failed. */
function fails(files: readonly string[], mutant: number): boolean {
  const { status } = spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      'neutral',
      '--bail',
      mutant < 0 ? '0' : '1',
      '--reporter',
      'dot',
      ...files,
    ],
    {
      cwd: copy,
      env: { ...process.env, PARLEY_MUTANT: String(mutant), ...(mutant >= 0 && { PARLEY_TEST_HANG_MS: '60000' }) },
      stdio: mutant < 0 ? ['ignore', 'inherit', 'inherit'] : 'ignore',
      timeout: 20 * 60_000,
    },
  )
  return status !== 0
}

/** Test files that reach a mutant, nearest first. */
function filesFor(
  { path, number, isStatic }: Mutant & { number: number },
  hits: readonly { file: string; reached: number[] }[],
): string[] {
  const folders = path.replace(/^src\//, 'test/').split('/')
  const nearness = (file: string): number => {
    const parts = file.split('/')
    const same = parts.findIndex((part, n) => part !== folders[n])
    return same < 0 ? parts.length : same
  }
  return (
    hits
      .map(({ file, reached }) => ({ file: file.slice(copy.length + 1), reached }))
      // The test of a source belongs to it also if another test of its worker filled a cache before.
      .filter(
        ({ file, reached }) =>
          isStatic || reached.includes(number) || file === `test/${path.slice('src/'.length, -'.ts'.length)}.test.ts`,
      )
      .map(({ file }) => file)
      .sort((a, b) => nearness(b) - nearness(a))
  )
}

try {
  prepare()
  if (fails([], -1)) throw new Error('The tests fail without a mutant.')
  const hits = readFileSync(hitsFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { file: string; reached: number[] })
  const survivors: Mutant[] = []
  for (const mutant of mutants) {
    const files = filesFor(mutant, hits)
    const isKilled = [files.slice(0, 12), files.slice(12)].some((some) => some.length > 0 && fails(some, mutant.number))
    const shown = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 100)
    say(
      `${isKilled ? 'killed  ' : 'SURVIVED'} ${mutant.path}:${mutant.line} ${shown(mutant.from)} -> ${shown(mutant.to) || '(removed)'} (${files.length} files)`,
    )
    if (!isKilled) survivors.push(mutant)
  }
  say(`${mutants.length - survivors.length} killed, ${survivors.length} survived.`)
} finally {
  if (!values.keep) rmSync(copy, { recursive: true, force: true })
}
