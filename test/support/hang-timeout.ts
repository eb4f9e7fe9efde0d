/**
 * Milliseconds after which a process, a terminal or a condition counts as hanging. Longer on a busy machine: set by
 * vitest.config.ts.
 */
export const hangMs = Number(process.env.PARLEY_TEST_HANG_MS ?? 120_000)
