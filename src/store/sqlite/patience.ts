import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy } from './sqlite-error.ts'

/**
 * Does `work`, again every millisecond while another process holds the lock, for `patienceMs` at most; then throws its last error.
 * Asking often and without blocking: SQLite's own waiting stops the event loop, and its long naps miss the short gaps of a busy writer.
 */
export async function patiently<T>(work: () => T, patienceMs: number): Promise<T> {
  const end = performance.now() + patienceMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw error
    }
    await sleep(1)
  }
}
