// Runs all tests in shards: node scripts/test-full.mjs [--shard <n>/<m>] [--project <name>] [--fresh] [--long-only]
// A shard that passed is not run again until a source, a test or the version of Node changes. --fresh ignores earlier
// results.
// --project runs the shards of one project. PARLEY_BINARY names a single executable that tests of the built program run.
// --long-only skips the tests of `npm test`. The last line is a total in the form of vitest: "Tests  1 failed | 2
// passed (3)".
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process, { argv, env, execPath, exit, pid, stderr, stdout, version } from 'node:process'
import { fileURLToPath } from 'node:url'

const root = resolve(fileURLToPath(import.meta.url), '../..')
const cache = join(root, 'node_modules/.cache')
const stateFile = join(cache, 'test-full.json')

/** Projects of vitest.config.ts, the number of their shards, the filter for their tests, and the variable without which there are none. */
const PROJECTS = [
  { name: 'full', shards: 6 },
  { name: 'postgres', shards: 4, only: 'postgres|PostgreSQL|every database' },
  { name: 'citus', shards: 4, needs: 'PARLEY_CITUS' },
  { name: 'public', shards: 2 },
  { name: 'neutral', shards: 3, isShort: true },
  { name: 'processes', shards: 2, isShort: true },
]

/** Returns a hash of everything that results depend on: every file that is not built. */
function contentKey() {
  const hash = createHash('sha256').update(version)
  if (env.PARLEY_BINARY) hash.update(readFileSync(env.PARLEY_BINARY))
  const visit = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = join(folder, entry.name)
      if (['node_modules', 'dist', '.git'].includes(entry.name) || /^dist\..*\.tmp$/.test(entry.name)) continue
      if (entry.isDirectory()) visit(path)
      else if (entry.isFile()) hash.update(`${path}\0`).update(readFileSync(join(root, path)))
    }
  }
  visit('.')
  return hash.digest('hex')
}

function readState(key) {
  try {
    const state = JSON.parse(readFileSync(stateFile, 'utf8'))
    return state.key === key ? state.passed : {}
  } catch {
    return {}
  }
}

function writeState(key, passed) {
  const fresh = `${stateFile}.${pid}`
  writeFileSync(fresh, JSON.stringify({ key, passed }, undefined, 2))
  renameSync(fresh, stateFile)
}

/** Runs a program. Resolves to its exit code, or to the reason why it ended. */
const run = (file, args) =>
  new Promise((done) => {
    const child = spawn(file, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
    const forward = () => child.kill('SIGTERM')
    process.once('SIGTERM', forward)
    child.on('error', (error) => done(error.message))
    child.on('close', (code, signal) => {
      process.off('SIGTERM', forward)
      done(signal ?? code)
    })
  })

/** Runs one shard. Resolves to its counts. A failure outside of any test counts as one failed test. */
async function runShard({ project, only, part }) {
  const report = join(cache, `test-full-${pid}.json`)
  const filter = only ? ['-t', only] : []
  const args = [
    'run',
    '--project',
    project,
    '--shard',
    part,
    '--passWithNoTests',
    ...filter,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]
  const ending = await run(execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args])
  let counts = { passed: 0, failed: 0, skipped: 0 }
  try {
    const { numPassedTests, numFailedTests, numTotalTests } = JSON.parse(readFileSync(report, 'utf8'))
    counts = {
      passed: numPassedTests,
      failed: numFailedTests,
      skipped: numTotalTests - numPassedTests - numFailedTests,
    }
  } catch {
    stdout.write(`The tests ended early: ${typeof ending === 'number' ? `exit code ${ending}` : ending}\n`)
  }
  rmSync(report, { force: true })
  if (ending !== 0 && counts.failed === 0) counts.failed = 1
  return counts
}

/** Returns the value of a flag, written as one word or two; undefined without the flag. */
function flagValue(flag) {
  const at = words.findIndex((it) => it === `--${flag}` || it.startsWith(`--${flag}=`))
  return at < 0 ? undefined : (words[at].split('=')[1] ?? words[at + 1] ?? '')
}

/** Returns the shards of this run: all, or every m-th starting with the n-th. */
function wantedShards() {
  const named = flagValue('project')
  if (named !== undefined && !PROJECTS.some((it) => it.name === named)) {
    stderr.write(`Unknown project ${named}. Projects: ${PROJECTS.map((it) => it.name).join(', ')}.\n`)
    exit(2)
  }
  const isWanted = ({ name, isShort, needs }) => {
    if ((named ?? name) !== name || (isShort && words.includes('--long-only'))) return false
    if (needs === undefined || env[needs]) return true
    stdout.write(`The project ${name} is skipped: ${needs} is not set (CONTRIBUTING.md).\n`)
    return false
  }
  const all = PROJECTS.filter(isWanted).flatMap(({ name, shards, only }) =>
    Array.from({ length: shards }, (_, n) => ({
      title: `${name} ${n + 1}/${shards}`,
      project: name,
      only,
      part: `${n + 1}/${shards}`,
    })),
  )
  const part = flagValue('shard')
  if (part === undefined) return all
  const [, n, m] = /^(\d+)\/(\d+)$/.exec(part) ?? []
  if (!(Number(n) >= 1 && Number(n) <= Number(m))) {
    stderr.write('Invalid --shard. Write <n>/<m>, for example --shard 1/4.\n')
    exit(2)
  }
  return all.filter((_, index) => index % Number(m) === Number(n) - 1)
}

const words = argv.slice(2)
const unknown = words.filter(
  (it, n) => !/^--(fresh|long-only|(shard|project)(=.*)?)$/.test(it) && !/^--(shard|project)$/.test(words[n - 1]),
)
if (unknown.length > 0) {
  stderr.write(
    `Unknown argument ${unknown[0]}. Usage: npm run test:full -- [--shard <n>/<m>] [--project <name>] [--fresh] [--long-only]\n`,
  )
  exit(2)
}
const shards = wantedShards()
mkdirSync(cache, { recursive: true })
if (words.includes('--fresh')) rmSync(stateFile, { force: true })
if ((await run(execPath, [join(root, 'scripts/build.mjs')])) !== 0) exit(1)

const key = contentKey()
const total = { passed: 0, failed: 0, skipped: 0 }
const lines = []
for (const shard of shards) {
  const startedAt = Date.now()
  const before = readState(key)[shard.title]
  const counts = before ?? (await runShard(shard))
  if (!before && counts.failed === 0) writeState(key, { ...readState(key), [shard.title]: counts })
  for (const name of Object.keys(total)) total[name] += counts[name]
  const time = before ? 'passed in an earlier run' : `${Math.round((Date.now() - startedAt) / 1000)} s`
  lines.push(`${shard.title.padEnd(16)}${counts.failed} failed, ${counts.passed} passed (${time})`)
  stdout.write(`\nShard ${lines.at(-1)}\n\n`)
}
stdout.write(`${lines.join('\n')}\n`)
const parts = ['failed', 'passed', 'skipped'].filter((it) => total[it] > 0).map((it) => `${total[it]} ${it}`)
stdout.write(`Tests  ${parts.join(' | ')} (${total.passed + total.failed + total.skipped})\n`)
exit(total.failed > 0 ? 1 : 0)
