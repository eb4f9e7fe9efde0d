import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { argv } from 'node:process'
import { defineConfig } from 'vitest/config'
import { nativeSources } from './test/support/native-sources.ts'

/*
 * Five projects. `npm test` runs the first two; `npm run test:full` runs all, in resumable shards (scripts/test-full.mjs).
 *
 *   neutral    Every *.test.ts: each command, rule and screen once, on SQLite, most of them in process.
 *   processes  Those of them that start many processes and terminals. They run in small processes of 100 MB, because starting a
 *              process takes the longer the more memory its parent has: 25 ms of CPU time for each 500 MB.
 *   full       Every *.full.test.ts: crash matrices, soaks, long terminal sessions, each command in each form. And the files with
 *              generated cases (test/support/case-count.ts) again, with all cases.
 *   postgres   The tests that use `databases` (test/support/databases.ts) again, on PostgreSQL.
 *   public     The tests of resource commands again, over a socket and in the public vocabulary.
 *
 * Workers are shared by many files (isolate: false), because loading the sources takes longer than most files.
 * A shared module must not call afterAll: it registers its cleanup with afterFile (test/support/cleanup.ts).
 */

/** Files of test/cli/nouns that the project `public` does not run, because they are not about resource commands. */
const notInPublic = [
  'conversations/chat',
  'events/events',
  'events/events-replay',
  'server/faults',
  'schema',
  'server/server',
  'messaging/templates',
  'ui',
].map((it) => `test/cli/nouns/${it}.test.ts`)

/** Other files of test/cli that it runs. */
const alsoInPublic = ['features/bulk/leads-import', 'program/commandline/flags', 'program/output/output-flags']

const full = 'test/**/*.full.test.ts'

/** Test files by path, with their text. */
const files = readdirSync(join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((it) => it.endsWith('.test.ts'))
  .map((it) => ({
    path: `test/${it.replaceAll('\\', '/')}`,
    text: readFileSync(join(import.meta.dirname, 'test', it), 'utf8'),
  }))

const inPublic = [
  ...files.map(({ path }) => path).filter((it) => it.startsWith('test/cli/nouns/') && !notInPublic.includes(it)),
  ...alsoInPublic.map((it) => `test/cli/${it}.test.ts`),
]

const gone = [...notInPublic, ...alsoInPublic.map((it) => `test/cli/${it}.test.ts`)].filter(
  (it) => !files.some(({ path }) => path === it),
)
if (gone.length > 0)
  throw new Error(`Update notInPublic and alsoInPublic in vitest.config.ts. Missing: ${gone.join(', ')}`)

const matching = (pattern: RegExp): string[] => files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)

/** Files that run once for each database. */
const withDatabases = matching(/\beach\(databases\b|\[\.\.\.databases/)

/** Files that start many processes or terminals, and hold little themselves. */
const withProcesses = files
  .filter(
    ({ path, text }) =>
      path.startsWith('test/e2e/') || /\/(terminal|program)\.ts'|\bspawn\b.* from 'node:child_process'/.test(text),
  )
  .map(({ path }) => path)

/** Files with generated cases: more of them in the long suite. */
const withCases = matching(/\/case-count\.ts'/)

const named = argv.filter((_, n) => argv[n - 1] === '--project')
/** A person who names the project `neutral` alone may mean any of its files. */
const apart = named.length === 1 && named[0] === 'neutral' ? [] : withProcesses

/**
 * Milliseconds after which a test is considered stuck: three minutes, and more on a busy machine. Nothing else depends on time.
 * PARLEY_TEST_HANG_MS, which is half of it, may be set lower while looking for a text that a test waits for in vain.
 */
const hangMs = process.env.PARLEY_TEST_HANG_MS
  ? Number(process.env.PARLEY_TEST_HANG_MS) * 2
  : Math.round(180_000 * Math.min(6, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())))

/** A watched run follows changes of the sources, which vitest has to load for that. */
const isWatched = !argv.includes('run') && !argv.includes('--run')

export default defineConfig({
  plugins: isWatched ? [] : [nativeSources()],
  test: {
    testTimeout: hangMs,
    hookTimeout: hangMs,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: hangMs / 2, interval: 20 } },
    env: { PARLEY_TEST_HANG_MS: String(hangMs / 2) },
    pool: 'threads',
    isolate: false,
    // Half as many more than there are cores: tests of processes and terminals mostly wait.
    maxWorkers: '150%',
    globalSetup: ['test/support/run-folder.ts'],
    setupFiles: ['test/support/setup.ts'],
    projects: [
      { extends: true, test: { name: 'neutral', include: ['test/**/*.test.ts'], exclude: [full, ...apart] } },
      { extends: true, test: { name: 'processes', include: withProcesses, exclude: [full], pool: 'forks' } },
      {
        extends: true,
        test: { name: 'full', include: [full, ...withCases], pool: 'forks', env: { PARLEY_TEST_ALL_CASES: '1' } },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: withDatabases,
          globalSetup: ['test/support/servers/postgres-server.ts'],
          env: { PARLEY_TEST_POSTGRES: '1' },
        },
      },
      {
        extends: true,
        test: {
          name: 'public',
          include: inPublic,
          env: { PARLEY_TEST_SPEAKS: 'public' },
        },
      },
    ],
  },
})
