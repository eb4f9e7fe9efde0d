const pending: (() => unknown)[] = []

/**
 * Has `end` called when the tests of the current file are done; what was registered last is called first.
 * Worker threads run many files with one copy of each module (vitest.config.ts), so a shared module that called `afterAll` itself would clean up after one file only.
 */
export const afterFile = (end: () => unknown): void => void pending.push(end)

/** Calls everything registered for the current file, even when one of them fails. Throws the first failure. */
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
