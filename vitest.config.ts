import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Fastest of those tried on two cores: 3.5 s for the store, 6 s with one worker, forks 0.2 s more.
    pool: 'threads',
    maxWorkers: '100%',
    globalSetup: ['test/store/postgres-server.ts'],
  },
})
