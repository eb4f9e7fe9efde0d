import type { Query } from '../../store/connection.ts'
import { deleteDue } from '../../store/due.ts'
import { beginStep, endStep, insertWait, noteItems, type StepEnd } from '../../store/run-steps.ts'
import { changeHeldRun, endHeldRun, moveRunDue, type RunRow, runWork } from '../../store/runs.ts'
import type { Micros } from '../ports.ts'
import { callBackTime } from './limits.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** Another process has taken the run, or it is gone: nothing more is written. */
export class Lost extends Error {
  override readonly name = 'Lost'
}

type JournalRun = Pick<RunRow, 'number' | 'id' | 'account_id' | 'claims'>

/**
 * Writes down what a run does, in a transaction for each step: that one ended and that the next begins. What ended is held back until then, so
 * a process that dies leaves one step at most of which nobody knows how it went, and that one has begun.
 */
export class Journal {
  readonly #deps: Pick<RunnerDeps, 'connection' | 'now'>
  readonly #run: JournalRun
  #position: number
  #held: ((query: Query) => Promise<void>)[] = []
  /** The step that was begun with the run. */
  #begun: string | undefined

  constructor(deps: Pick<RunnerDeps, 'connection' | 'now'>, run: JournalRun, { position, begun }: { position: number; begun?: string | undefined }) {
    this.#deps = deps
    this.#run = run
    this.#position = position
    this.#begun = begun
  }

  /** Which attempt of the step this is. @throws Lost */
  async begin(path: string, name: string): Promise<number> {
    if (this.#begun === path) {
      this.#begun = undefined
      return 1
    }
    const position = ++this.#position
    return this.#write(async (query, now) => {
      const attempt = await beginStep(query, this.#run, { account: this.#run.account_id, path, name, position, now })
      if (attempt === undefined) throw new Lost()
      return attempt
    })
  }

  /** Written with whatever comes next. */
  async end(step: Omit<StepEnd, 'now'>): Promise<void> {
    const now = await this.#deps.now()
    this.#held.push((query) => endStep(query, this.#run.number, { ...step, now }))
  }

  /** Written with whatever comes next. */
  items(path: string, items: string): void {
    this.#held.push((query) => noteItems(query, this.#run.number, path, items))
  }

  /** Keeps what was answered before the run goes on. @throws Lost */
  async answer(answer: string): Promise<void> {
    await this.#write(async (query) => this.#sure(await changeHeldRun(query, this.#run, { answer })))
  }

  /** @throws Lost */
  async over(end: { status: 'SUCCEEDED' | 'FAILED'; error: string | null; answer: string | null; active: Micros }): Promise<void> {
    await this.#write(async (query, now) => {
      this.#sure(await endHeldRun(query, this.#run, { ...end, now }))
      await deleteDue(query, runWork, this.#run.id)
    })
  }

  /** Lets the run wait: for a time between attempts, or, with `wait`, where a step asked for it. @throws Lost */
  async park(at: { until: Micros | null; active: Micros; answer: string | null; wait?: { readonly id: string; readonly path: string } }): Promise<void> {
    const { until, active, answer, wait } = at
    await this.#write(async (query, now) => {
      this.#sure(await changeHeldRun(query, this.#run, { held: 0, active, answer, status: wait ? 'PAUSED' : 'RUNNING' }))
      if (wait) await insertWait(query, { ...wait, account_id: this.#run.account_id, run: this.#run.number, until })
      await moveRunDue(query, this.#run.id, until ?? now + callBackTime)
    })
  }

  /** Gives the run to whoever takes it next. @throws Lost */
  async release(active: Micros): Promise<void> {
    await this.#write(async (query, now) => {
      this.#sure(await changeHeldRun(query, this.#run, { held: 0, active }))
      await moveRunDue(query, this.#run.id, now)
    })
  }

  #sure(isHeld: boolean): void {
    if (!isHeld) throw new Lost()
  }

  async #write<T>(body: (query: Query, now: Micros) => Promise<T>): Promise<T> {
    const now = await this.#deps.now()
    const held = this.#held
    const result = await this.#deps.connection.write(async (query) => {
      for (const write of held) await write(query)
      return body(query, now)
    })
    this.#held = []
    return result
  }
}
