import { findRun } from '../../store/automations/runs.ts'
import type { Connection } from '../../store/database/connection.ts'
import type { RunAnswer } from './walker.ts'

/** How a run stands: what it answered, if it did, and whether it has ended. */
export interface RunResult {
  readonly answer: RunAnswer | undefined
  readonly isOver: boolean
}

/** Milliseconds between two looks at a run that another process may have. */
const pollIntervalMs = 200

/** Those who wait for what runs answer. The row is the truth; a notice from this process only saves the time until the next look. */
export class RunWaiters {
  readonly #connection: Connection
  readonly #waiting = new Map<string, Set<(result: RunResult) => void>>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  notify(run: string, result: RunResult): void {
    for (const wake of this.#waiting.get(run) ?? []) wake(result)
  }

  /** What the run answered, once it has or has ended without; undefined when neither comes in time. */
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
