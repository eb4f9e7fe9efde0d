import { defineConfig } from 'vitest/config'

/** What is asked of a platform by nearly every command, once more: over a socket, where client and server speak the public vocabulary. */
const inPublic = [
  'api',
  'assistants-asked',
  'automate',
  'calls',
  'campaigns',
  'catalogues',
  'conversations',
  'filing',
  'flags',
  'keys',
  'leads',
  'messaging',
  'numbers-buy',
  'numbers-owned',
  'numbers-search',
  'printed',
  'sip-trunks',
  'tool-limits',
  'tools',
]

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Half as many more than there are cores: tests of processes and terminals mostly wait. Threads were a little faster than forks.
    pool: 'threads',
    maxWorkers: '150%',
    projects: [
      { extends: true, test: { name: 'neutral', include: ['test/**/*.test.ts'], globalSetup: ['test/store/postgres-server.ts'] } },
      { extends: true, test: { name: 'public', include: inPublic.map((it) => `test/cli/${it}.test.ts`), env: { PARLEY_TEST_SPEAKS: 'public' } } },
    ],
  },
})
