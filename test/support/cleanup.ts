const pending: (() => unknown)[] = []

/**
 * Registers a function to call after the tests of the current file, in reverse order of registration.
 * Worker threads run many files with one copy of each module (vitest.config.ts). A shared module that called `afterAll`
 * would clean up after one file only.
 */
export const afterFile = (end: () => unknown): void => void pending.push(end)

/** Calls all functions registered for the current file, even if one of them fails. Throws the first failure. */
export async function cleanUpFile(): Promise<void> {
  const failures: unknown[] = []
  for (let end = pending.pop(); end; end = pending.pop()) {
    try {
      await end()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
