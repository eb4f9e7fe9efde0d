import type { Connection } from '../../store/connection.ts'
import { findRun } from '../../store/runs.ts'
import type { RunAnswer } from './walker.ts'

/** How a run stands: what it answered, if it did, and whether it has ended. */
export interface Standing {
  readonly answer: RunAnswer | undefined
  readonly isOver: boolean
}

/** Milliseconds between two looks at a run that another process may have. */
const lookMs = 200

/** Those who wait for what runs answer. The row is the truth; a notice from this process only saves the time until the next look. */
export class Waiters {
  readonly #connection: Connection
  readonly #waiting = new Map<string, Set<(standing: Standing) => void>>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  tell(run: string, standing: Standing): void {
    for (const wake of this.#waiting.get(run) ?? []) wake(standing)
  }

  /** What the run answered, once it has or has ended without; undefined when neither comes in time. */
  async wait(run: string, timeoutMs: number): Promise<Standing | undefined> {
    let wake: (standing: Standing | undefined) => void = () => {}
    const told = new Promise<Standing | undefined>((resolve) => {
      wake = resolve
    })
    const mine = this.#waiting.get(run) ?? new Set()
    mine.add(wake)
    this.#waiting.set(run, mine)
    const end = setTimeout(wake, timeoutMs, undefined)
    const look = setInterval(() => {
      this.#look(run).then(
        (standing) => standing && wake(standing),
        () => {},
      )
    }, lookMs)
    try {
      return await told
    } finally {
      clearTimeout(end)
      clearInterval(look)
      mine.delete(wake)
      if (mine.size === 0) this.#waiting.delete(run)
    }
  }

  async #look(id: string): Promise<Standing | undefined> {
    const run = await findRun(this.#connection.read, id)
    if (!run) return { answer: undefined, isOver: true }
    const isOver = run.status === 'SUCCEEDED' || run.status === 'FAILED'
    const answer = run.answer === null ? undefined : (JSON.parse(run.answer) as RunAnswer)
    return isOver || answer ? { answer, isOver } : undefined
  }
}
