/**
 * Returns how many generated cases a test tries: `all` in the long suite, `some` in `npm test`. The project `full` runs
 * every file that imports this (vitest.config.ts).
 */
export const caseCount = (all: number, some: number): number => (process.env.PARLEY_TEST_ALL_CASES ? all : some)
