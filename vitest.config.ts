import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Both cores of a small machine; threads were a little faster than forks.
    pool: 'threads',
    maxWorkers: '100%',
    globalSetup: ['test/store/postgres-server.ts'],
  },
})
