import { availableParallelism, loadavg } from 'node:os'
import { argv } from 'node:process'
import { defineConfig } from 'vitest/config'
import { nativeSources } from './test/support/native-sources.ts'

/*
 * Six projects. `npm test` runs the first two; `npm run test:full` runs all, in resumable shards (scripts/test-full.mjs).
 *
 *   neutral    Every *.test.ts: each command, rule and screen once, on SQLite, most of them in process.
 *   processes  Those of them that start many processes and terminals. They run in small processes of 100 MB, because starting a
 *              process takes the longer the more memory its parent has: 25 ms of CPU time for each 500 MB.
 *   full       Crash matrices, soaks, long terminal sessions, each command in each form. And the files with generated cases
 *              (test/support/case-count.ts) again, with all cases.
 *   postgres   The tests that use `databases` (test/support/databases.ts) again, on PostgreSQL.
 *   citus      The tests that use `databases` again, on Citus, if PARLEY_CITUS names the folder of the engine.
 *   public     The tests of resource commands again, over a socket and in the public vocabulary.
 *
 * The folder and the name of a file decide where it runs. Words between the name and `.test.ts`, such as in
 * `prompts.cases.processes.test.ts`, add to that; test/project/test-names.test.ts finds a file that needs one.
 *
 *   .full       only in `full`
 *   .cases      also in `full`
 *   .databases  also in `postgres` and `citus`
 *   .citus      in `citus`; skipped elsewhere
 *   .processes  in `processes`, as everything in test/e2e
 *   .public     also in `public`, as everything in test/cli/nouns
 *   .neutral    not in `public`, although in test/cli/nouns: the test is not about a resource command
 *
 * Workers are shared by many files (isolate: false), because loading the sources takes longer than most files.
 * A shared module must not call afterAll: it registers its cleanup with afterFile (test/support/cleanup.ts).
 */

const tagged = (word: string): string => `test/**/*.${word}.*test.ts`
const full = 'test/**/*.full.test.ts'
const processes = ['test/e2e/**/*.test.ts', tagged('processes')]

const named = argv.filter((_, n) => argv[n - 1] === '--project')
/** A person who names the project `neutral` alone may mean any of its files. */
const apart = named.length === 1 && named[0] === 'neutral' ? [] : processes

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
      { extends: true, test: { name: 'processes', include: processes, exclude: [full], pool: 'forks' } },
      {
        extends: true,
        test: { name: 'full', include: [full, tagged('cases')], pool: 'forks', env: { PARLEY_TEST_ALL_CASES: '1' } },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [tagged('databases')],
          globalSetup: ['test/support/servers/postgres-server.ts'],
          env: { PARLEY_TEST_POSTGRES: '1' },
        },
      },
      {
        extends: true,
        test: {
          name: 'citus',
          include: process.env.PARLEY_CITUS ? [tagged('databases'), tagged('citus')] : [],
          globalSetup: ['test/support/servers/citus-server.ts'],
          env: { PARLEY_TEST_POSTGRES: '1', PARLEY_TEST_CITUS: '1' },
        },
      },
      {
        extends: true,
        test: {
          name: 'public',
          include: ['test/cli/nouns/**/*.test.ts', tagged('public')],
          exclude: [full, tagged('neutral')],
          env: { PARLEY_TEST_SPEAKS: 'public' },
        },
      },
    ],
  },
})
