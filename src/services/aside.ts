import { postpone } from '../events/due.ts'
import { type DueRow, releaseDue } from '../store/due.ts'
import type { Deps } from './deps.ts'

type Body = (signal: AbortSignal) => Promise<void>

/** Pieces under way at once; the others wait their turn here. */
const together = 4
/** Milliseconds a piece may take: within the lease it was begun under. */
const patience = 25_000

/** Why a piece is broken off that nothing is wrong with. */
export class Leaving extends Error {}

/** Due work that waits for somebody outside goes on beside the rest, so that nothing else that is due waits with it. One for each process. */
export class Aside {
  readonly #deps: Pick<Deps, 'connection' | 'clock' | 'log'>
  readonly #going = new Map<number, Promise<void>>()
  readonly #waiting: (() => void)[] = []
  readonly #leaving = new AbortController()
  #busy = 0

  constructor(deps: Pick<Deps, 'connection' | 'clock' | 'log'>) {
    this.#deps = deps
  }

  /** Begins a piece of due work. As with other due work, `body` takes its own row off, and failing puts it off. */
  begin(row: DueRow, body: Body): void {
    if (this.#going.has(row.id) || this.#leaving.signal.aborted) return
    this.#going.set(
      row.id,
      this.#run(row, body).finally(() => this.#going.delete(row.id)),
    )
  }

  async #run(row: DueRow, body: Body): Promise<void> {
    if (this.#busy >= together) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#busy += 1
    try {
      this.#leaving.signal.throwIfAborted()
      await body(AbortSignal.any([this.#leaving.signal, AbortSignal.timeout(patience)]))
    } catch (error) {
      const { connection, log } = this.#deps
      // Who leaves gives nothing up: another process goes on with it, as if it had not been begun.
      const left = this.#leaving.signal.aborted ? connection.write((query) => releaseDue(query, row)) : postpone(this.#deps, [row], error)
      await left.catch((failure: Error) => log(failure.message))
    } finally {
      this.#busy -= 1
      this.#waiting.shift()?.()
    }
  }

  /** Waits for what is under way, at most for so many milliseconds. */
  async settle(budgetMs: number): Promise<void> {
    if (this.#going.size === 0) return
    let timer: NodeJS.Timeout | undefined
    const late = Number.isFinite(budgetMs)
      ? [
          new Promise<void>((resolve) => {
            timer = setTimeout(resolve, Math.max(0, budgetMs))
          }),
        ]
      : []
    await Promise.race([Promise.all(this.#going.values()), ...late])
    clearTimeout(timer)
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    this.#leaving.abort(new Leaving('The platform is closing.'))
    await Promise.all(this.#going.values())
  }
}

/** Begins work beside the rest where there is such a place, else does it at once. */
export async function beside({ aside }: Pick<Deps, 'aside'>, row: DueRow, body: Body): Promise<void> {
  if (aside) (await aside()).begin(row, body)
  else await body(AbortSignal.timeout(patience))
}
