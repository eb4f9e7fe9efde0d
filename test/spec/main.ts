/** Tells how much of the specification is proved: `npm run spec`. Looks every named test up among those there are; exits 1 where something is missing. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../support/sources.ts'
import { awaitedParts, refer, type Statement, statements } from './statements.ts'

/** The whole names of all tests, by file. */
function testNames(): ReadonlyMap<string, readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-spec-'))
  const list = join(folder, 'tests.json')
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'list', `--json=${list}`], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const names = new Map<string, string[]>()
    for (const { name, file } of JSON.parse(readFileSync(list, 'utf8')) as { name: string; file: string }[]) {
      const path = file.replaceAll('\\', '/').slice(file.replaceAll('\\', '/').lastIndexOf('/test/') + 1)
      names.set(path, [...(names.get(path) ?? []), name])
    }
    return names
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const names = testNames()

/** The tests that a statement names and that do not exist. */
const missing = ({ tests = [] }: Statement): string[] =>
  tests.filter((test) => {
    const { file, name } = refer(test)
    return !names.get(file)?.some((whole) => whole === name || whole.endsWith(` > ${name}`))
  })

const isProved = (it: Statement): boolean => (it.tests ?? []).length > 0 && missing(it).length === 0
const waits = (it: Statement, what: string): boolean => it.tests === undefined && it.planned === what
const isHole = (it: Statement): boolean => !isProved(it) && !awaitedParts.some((what) => waits(it, what))

const all = statements()
const line = (title: string, of: readonly Statement[]): string => {
  const counts = [
    of.length,
    of.filter(isProved).length,
    ...awaitedParts.map((what) => of.filter((it) => waits(it, what)).length),
    of.filter(isHole).length,
  ]
  return `${title.padEnd(10)}${counts.map((it) => String(it).padStart(13)).join('')}`
}

// The reader has closed the output after the beginning.
process.stdout.on('error', () => process.exit())
const say = (text: string): void => void process.stdout.write(`${text}\n`)
say(
  `${'Section'.padEnd(10)}${['statements', 'proved', ...awaitedParts, 'holes'].map((it) => it.padStart(13)).join('')}`,
)
for (const section of new Set(all.map((it) => it.id.charAt(0))))
  say(
    line(
      section,
      all.filter((it) => it.id.startsWith(section)),
    ),
  )
say(line('all', all))

const holes = all.filter(isHole)
for (const hole of holes)
  say(
    `${hole.id}: ${
      missing(hole)
        .map((name) => `no test "${name}"`)
        .join('; ') || `not proved${hole.planned ? `, waits for ${hole.planned}` : ''}`
    }`,
  )
if (holes.length > 0) process.exitCode = 1
