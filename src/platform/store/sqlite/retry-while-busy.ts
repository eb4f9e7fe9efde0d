import { realTime, sleep } from '../../../node/real-time.ts'
import { isBusy } from './sqlite-store-errors.ts'

/**
 * Runs `work`, and repeats it every millisecond while another process holds the lock, for at most `timeoutMs`. Then
 * throws its last error. Frequent attempts without blocking are better than SQLite's own waiting, which stops the event
 * loop and whose long sleeps miss the short gaps of a busy writer.
 */
export async function retryWhileBusy<T>(work: () => T, timeoutMs: number): Promise<T> {
  // The clock is loaded only when needed, because its module takes longer than this whole function in a short command.
  let end: number | undefined
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error)) throw error
      end ??= realTime.monotonicMs() + timeoutMs
      if (realTime.monotonicMs() >= end) throw error
    }
    await sleep(1)
  }
}
