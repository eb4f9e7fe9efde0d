import { postponeJobs } from '../../jobs/job-loop.ts'
import { type JobRow, releaseJob } from '../../store/runtime/scheduled-jobs.ts'
import type { Deps } from './deps.ts'

type BackgroundJob = (signal: AbortSignal) => Promise<void>

/** Pieces under way at once; the others wait their turn here. */
const concurrency = 4
/** Milliseconds a piece may take: within the lease it was begun under. */
const jobTimeoutMs = 25_000

/** Why a piece is broken off that nothing is wrong with. */
export class ShutdownAbort extends Error {}

/** Due work that waits for somebody outside goes on beside the rest, so that nothing else that is due waits with it. One for each process. */
export class BackgroundQueue {
  readonly #deps: Pick<Deps, 'connection' | 'clock' | 'log'>
  readonly #running = new Map<number, Promise<void>>()
  readonly #waiters: (() => void)[] = []
  readonly #shutdown = new AbortController()
  #activeCount = 0

  constructor(deps: Pick<Deps, 'connection' | 'clock' | 'log'>) {
    this.#deps = deps
  }

  /** Begins a piece of due work. As with other due work, `body` takes its own row off, and failing puts it off. */
  start(row: JobRow, job: BackgroundJob): void {
    if (this.#running.has(row.id) || this.#shutdown.signal.aborted) return
    this.#running.set(
      row.id,
      this.#runJob(row, job).finally(() => this.#running.delete(row.id)),
    )
  }

  async #runJob(row: JobRow, job: BackgroundJob): Promise<void> {
    if (this.#activeCount >= concurrency) await new Promise<void>((resolve) => this.#waiters.push(resolve))
    this.#activeCount += 1
    try {
      this.#shutdown.signal.throwIfAborted()
      await job(AbortSignal.any([this.#shutdown.signal, AbortSignal.timeout(jobTimeoutMs)]))
    } catch (error) {
      const { connection, log } = this.#deps
      // Who leaves gives nothing up: another process goes on with it, as if it had not been begun.
      const cleanup = this.#shutdown.signal.aborted
        ? connection.write((query) => releaseJob(query, row))
        : postponeJobs(this.#deps, [row], error)
      await cleanup.catch((failure: Error) => log(failure.message))
    } finally {
      this.#activeCount -= 1
      this.#waiters.shift()?.()
    }
  }

  /** Waits for what is under way, at most for so many milliseconds. */
  async settle(budgetMs: number): Promise<void> {
    if (this.#running.size === 0) return
    let timer: NodeJS.Timeout | undefined
    const timeout = Number.isFinite(budgetMs)
      ? [
          new Promise<void>((resolve) => {
            timer = setTimeout(resolve, Math.max(0, budgetMs))
          }),
        ]
      : []
    await Promise.race([Promise.all(this.#running.values()), ...timeout])
    clearTimeout(timer)
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    this.#shutdown.abort(new ShutdownAbort('The platform is shutting down.'))
    await Promise.all(this.#running.values())
  }
}

/** Begins work beside the rest where there is such a place, else does it at once. */
export async function runInBackground(
  { backgroundQueue }: Pick<Deps, 'backgroundQueue'>,
  row: JobRow,
  job: BackgroundJob,
): Promise<void> {
  if (backgroundQueue) (await backgroundQueue()).start(row, job)
  else await job(AbortSignal.timeout(jobTimeoutMs))
}
