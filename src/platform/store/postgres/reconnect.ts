import { realTime, sleep } from '../../../node/real-time.ts'
import { StoreError } from '../database/store-error.ts'
import { isConflict, isStalePlan } from './postgres-store-errors.ts'

/** Milliseconds between two attempts to reach the database. */
const pauseMs = 100

/** Milliseconds to find out how a COMMIT ended. It is longer than for other work, because guessing is not possible. */
const outcomeTimeoutMs = 30_000

/** Maximum number of connections in a row whose prepared statements belong to an earlier schema, and of deadlocks. */
const maxRepeats = 100

/** Repeats work that changed nothing while the database cannot be reached. */
export interface Reconnect {
  /** Milliseconds for which work is repeated; 0 until the database was reached once. */
  readonly timeoutMs: number
  /** Repeats `work` while it rejects because the database cannot be reached, or its schema was upgraded. `long` allows more time. */
  run<T>(work: () => Promise<T>, limit?: 'long'): Promise<T>
  /** Called when a connection was opened. */
  onConnected(): void
}

/** Creates the rule for lost connections. A database that was never reached is refused at once. */
export function createReconnect(reconnectMs: number): Reconnect {
  let isKnown = false
  return {
    get timeoutMs() {
      return isKnown ? reconnectMs : 0
    },
    async run(work, limit) {
      const deadline = realTime.monotonicMs() + (limit ? Math.max(outcomeTimeoutMs, reconnectMs) : this.timeoutMs)
      for (let repeats = 0; ; ) {
        try {
          return await work()
        } catch (error) {
          // The schema was upgraded: every open connection fails once, and is replaced. Or a read and the upgrade
          // waited for each other's tables.
          if ((isStalePlan(error) || isConflict(error)) && ++repeats <= maxRepeats) continue
          const isLost = error instanceof StoreError && error.reason === 'unreachable'
          if (!isLost || realTime.monotonicMs() >= deadline) throw error
          await sleep(pauseMs)
        }
      }
    },
    onConnected() {
      isKnown = true
    },
  }
}
