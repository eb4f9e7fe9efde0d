import { findRun } from '../../store/automations/runs.ts'
import type { Connection } from '../../store/database/connection.ts'
import type { RunAnswer } from './stop-reason.ts'

/** Response of a run, if it has sent one, and whether the run has ended. */
export interface RunResult {
  readonly answer: RunAnswer | undefined
  readonly isOver: boolean
}

/** Polling interval in milliseconds for runs that another process may hold. */
const pollIntervalMs = 200

/** Callers that wait for responses of runs. The database is authoritative; a notification only shortens the wait. */
export class RunWaiters {
  readonly #connection: Connection
  readonly #waiting = new Map<string, Set<(result: RunResult) => void>>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  notify(run: string, result: RunResult): void {
    for (const wake of this.#waiting.get(run) ?? []) wake(result)
  }

  /** Waits until a run sends a response or ends without one. Returns undefined after the timeout. */
  async wait(run: string, timeoutMs: number): Promise<RunResult | undefined> {
    let wake: (result: RunResult | undefined) => void = () => {}
    const settled = new Promise<RunResult | undefined>((resolve) => {
      wake = resolve
    })
    const waiters = this.#waiting.get(run) ?? new Set()
    waiters.add(wake)
    this.#waiting.set(run, waiters)
    const timeout = setTimeout(wake, timeoutMs, undefined)
    const pollTimer = setInterval(() => {
      this.#poll(run).then(
        (result) => result && wake(result),
        () => {},
      )
    }, pollIntervalMs)
    try {
      return await settled
    } finally {
      clearTimeout(timeout)
      clearInterval(pollTimer)
      waiters.delete(wake)
      if (waiters.size === 0) this.#waiting.delete(run)
    }
  }

  async #poll(id: string): Promise<RunResult | undefined> {
    const run = await findRun(this.#connection.read, id)
    if (!run) return { answer: undefined, isOver: true }
    const isOver = run.status === 'SUCCEEDED' || run.status === 'FAILED'
    const answer = run.answer === null ? undefined : (JSON.parse(run.answer) as RunAnswer)
    return isOver || answer ? { answer, isOver } : undefined
  }
}
