import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy } from './sqlite-error.ts'

/**
 * Does `work`, again every millisecond while another process holds the lock, for `patienceMs` at most; then throws its last error.
 * Asking often and without blocking: SQLite's own waiting stops the event loop, and its long naps miss the short gaps of a busy writer.
 */
export async function retryWhileBusy<T>(work: () => T, timeoutMs: number): Promise<T> {
  // The clock is asked only when there is something to wait for: its module costs a short command more than this whole function.
  let end: number | undefined
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error)) throw error
      end ??= performance.now() + timeoutMs
      if (performance.now() >= end) throw error
    }
    await sleep(1)
  }
}
