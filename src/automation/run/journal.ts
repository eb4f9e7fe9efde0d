import type { Micros } from '../../flow/pieces/ports.ts'
import {
  finishStep,
  insertStep,
  type StartedStep,
  type StepResult,
  saveLoopItems,
  startStep,
} from '../../store/automations/run-steps.ts'
import { insertWait } from '../../store/automations/run-waits.ts'
import {
  finishClaimedRun,
  type RunRow,
  rescheduleRun,
  runJobKind,
  updateClaimedRun,
} from '../../store/automations/runs.ts'
import type { Query } from '../../store/database/connection.ts'
import { deleteJob } from '../../store/runtime/scheduled-jobs.ts'
import { callbackTimeout } from './run-limits.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** Another process has taken the run, or it is gone: nothing more is written. */
export class RunLostError extends Error {
  override readonly name = 'Lost'
}

/** Entries that are held back at most. */
const maxPendingWrites = 64

/**
 * Writes down what a run does, in a transaction for each step: that one ended and that the next begins. What ended is held back until then, so
 * a process that dies leaves one step at most of which nobody knows how it went, and that one has begun. Steps that touch nothing but the run itself,
 * such as branches, go into the transaction of what comes after them: done again after a crash they do what they did.
 */
export class Journal {
  readonly #deps: Pick<RunnerDeps, 'connection' | 'now' | 'failed'>
  readonly #run: RunRow
  #position: number
  #pendingWrites: ((query: Query) => Promise<void>)[] = []
  /** The step that was begun with the run. */
  #startedPath: string | undefined
  /** A step that touches nothing outside, begun and not written yet. */
  #pendingStep: StartedStep | undefined

  constructor(
    deps: Pick<RunnerDeps, 'connection' | 'now' | 'failed'>,
    run: RunRow,
    { position, startedPath }: { position: number; startedPath?: string | undefined },
  ) {
    this.#deps = deps
    this.#run = run
    this.#position = position
    this.#startedPath = startedPath
  }

  /** Which attempt of the step this is. One that touches nothing outside and has no attempt behind it is written with whatever comes next. @throws Lost */
  async begin(path: string, name: string, isInner = false): Promise<number> {
    if (this.#startedPath === path) {
      this.#startedPath = undefined
      return 1
    }
    const position = ++this.#position
    const account = this.#run.account_id
    if (isInner && this.#pendingWrites.length < maxPendingWrites) {
      this.#pendingStep = { account, path, name, position, now: await this.#deps.now() }
      return 1
    }
    return this.#write((query, now) => this.#beginStep(query, { account, path, name, position, now }))
  }

  /** Written with whatever comes next. */
  async end(step: Omit<StepResult, 'now'>): Promise<void> {
    const now = await this.#deps.now()
    const pendingStep = this.#pendingStep
    this.#pendingStep = undefined
    if (pendingStep?.path !== step.path)
      this.#pendingWrites.push((query) => finishStep(query, this.#run.number, { ...step, now }))
    else
      this.#pendingWrites.push(async (query) =>
        this.#assertHeld(await insertStep(query, this.#run, pendingStep, { ...step, now })),
      )
  }

  /** Written with whatever comes next. */
  items(path: string, items: string): void {
    const pendingStep = this.#pendingStep
    this.#pendingStep = undefined
    if (pendingStep) this.#pendingWrites.push(async (query) => void (await this.#beginStep(query, pendingStep)))
    this.#pendingWrites.push((query) => saveLoopItems(query, this.#run.number, path, items))
  }

  /** Keeps what was answered before the run goes on. @throws Lost */
  async answer(answer: string): Promise<void> {
    await this.#write(async (query) => this.#assertHeld(await updateClaimedRun(query, this.#run, { answer })))
  }

  /** @throws Lost */
  async finish(end: {
    status: 'SUCCEEDED' | 'FAILED'
    error: string | null
    answer: string | null
    active: Micros
  }): Promise<void> {
    await this.#write(async (query, now) => {
      this.#assertHeld(await finishClaimedRun(query, this.#run, { ...end, now }))
      if (end.error !== null && this.#run.testing === 0)
        await this.#deps.failed?.(query, { run: this.#run, error: end.error, now })
      await deleteJob(query, runJobKind, this.#run.id)
    })
  }

  /** Lets the run wait: for a time between attempts, or, with `wait`, where a step asked for it. @throws Lost */
  async park(at: {
    until: Micros | null
    active: Micros
    answer: string | null
    wait?: { readonly id: string; readonly path: string }
  }): Promise<void> {
    const { until, active, answer, wait } = at
    // A test ends where it would wait: what stands behind that is done for real only.
    const isOver = wait !== undefined && this.#run.testing === 1
    await this.#write(async (query, now) => {
      const status = wait ? 'PAUSED' : 'RUNNING'
      this.#assertHeld(
        await updateClaimedRun(query, this.#run, {
          held: 0,
          active,
          answer,
          status,
          ...(isOver && { finished_at: now }),
        }),
      )
      if (wait) await insertWait(query, { ...wait, account_id: this.#run.account_id, run: this.#run.number, until })
      if (isOver) await deleteJob(query, runJobKind, this.#run.id)
      else await rescheduleRun(query, this.#run.id, until ?? now + callbackTimeout)
    })
  }

  /** Gives the run to whoever takes it next. @throws Lost */
  async release(active: Micros): Promise<void> {
    await this.#write(async (query, now) => {
      this.#assertHeld(await updateClaimedRun(query, this.#run, { held: 0, active }))
      await rescheduleRun(query, this.#run.id, now)
    })
  }

  async #beginStep(query: Query, step: StartedStep): Promise<number> {
    const attempt = await startStep(query, this.#run, step)
    if (attempt === undefined) throw new RunLostError()
    return attempt
  }

  #assertHeld(isHeld: boolean): void {
    if (!isHeld) throw new RunLostError()
  }

  async #write<T>(body: (query: Query, now: Micros) => Promise<T>): Promise<T> {
    const now = await this.#deps.now()
    const pendingWrites = this.#pendingWrites
    const result = await this.#deps.connection.write(async (query) => {
      for (const write of pendingWrites) await write(query)
      return body(query, now)
    })
    this.#pendingWrites = []
    return result
  }
}
