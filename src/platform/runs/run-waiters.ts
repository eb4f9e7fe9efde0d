import type { RunAnswer } from '../../engine/runs/run-state.ts'
import { parseJson } from '../../node/json.ts'
import { realTime } from '../../node/real-time.ts'
import { findRun } from '../store/automations/runs.ts'
import { accountQuery } from '../store/database/account-query.ts'
import type { Connection } from '../store/database/connection.ts'

/** Run and its account. */
export interface OwnedRun {
  readonly id: string
  readonly account: number
}

/** Response of a run, if it has sent one, and whether the run has ended. */
export interface RunResult {
  readonly answer: RunAnswer | undefined
  readonly isOver: boolean
}

/** Polling interval in milliseconds for runs that another process may hold. */
const pollIntervalMs = 200

interface Waiter {
  readonly resolve: (result: RunResult | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Callers that wait for responses of runs. The database is authoritative; a notification only shortens the wait. */
export class RunWaiters {
  readonly #connection: Connection
  readonly #waiting = new Map<string, Set<Waiter>>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Ends the waits for a run in this process. The runner calls it after the commit, so that nothing is answered that was not stored. */
  notify(run: string, result: RunResult): void {
    for (const waiter of this.#waiting.get(run) ?? []) waiter.resolve(result)
  }

  /** Ends the waits for a run that could not be stored. */
  fail(run: string, error: unknown): void {
    for (const waiter of this.#waiting.get(run) ?? []) waiter.reject(error)
  }

  /**
   * Waits until a run sends a response or ends without one. Returns undefined after the timeout. `isStored` says whether
   * the run is in the database already: it is read only then, because a missing run counts as deleted, which ends the wait. The wait
   * for a run that is not stored begins before the run, or it would miss its failure. A failed read is repeated at the next turn.
   */
  async wait(
    { id: run, account }: OwnedRun,
    timeoutMs: number,
    isStored = (): boolean => true,
  ): Promise<RunResult | undefined> {
    let waiter: Waiter = { resolve: () => {}, reject: () => {} }
    const settled = new Promise<RunResult | undefined>((resolve, reject) => {
      waiter = { resolve, reject }
    })
    const waiters = this.#waiting.get(run) ?? new Set()
    waiters.add(waiter)
    this.#waiting.set(run, waiters)
    const deadline = realTime.monotonicMs() + timeoutMs
    // One timer for the timeout and for reading the run, because most runs end before its first turn.
    const timer = realTime.setInterval(
      () => {
        if (realTime.monotonicMs() >= deadline) waiter.resolve(undefined)
        else if (isStored())
          this.#poll(run, account).then(
            (result) => result && waiter.resolve(result),
            () => {},
          )
      },
      Math.min(pollIntervalMs, timeoutMs),
    )
    try {
      return await settled
    } finally {
      realTime.clearInterval(timer)
      waiters.delete(waiter)
      if (waiters.size === 0) this.#waiting.delete(run)
    }
  }

  async #poll(id: string, account: number): Promise<RunResult | undefined> {
    const run = await findRun(accountQuery(this.#connection.read, account), id)
    if (!run) return { answer: undefined, isOver: true }
    const isOver = run.status === 'SUCCEEDED' || run.status === 'FAILED'
    const answer = run.answer === null ? undefined : (parseJson(run.answer) as RunAnswer)
    return isOver || answer ? { answer, isOver } : undefined
  }
}
