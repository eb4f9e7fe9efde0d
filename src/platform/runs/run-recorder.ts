import type { Micros } from '../../contract/values/micros.ts'
import type { CallResult } from '../../engine/pieces/ports.ts'
import type { StepEnd, StepRecorder } from '../../engine/runs/run-state.ts'
import { stringifyJson } from '../../node/json.ts'
import { realTime } from '../../node/real-time.ts'
import { isStopped } from '../store/accounts/accounts.ts'
import { insertEndedRun, insertEndedRunRows } from '../store/automations/ended-runs.ts'
import {
  type EndedStep,
  finishStep,
  insertSteps,
  type StartedStep,
  type StepResult,
  saveLoopItems,
  startStep,
} from '../store/automations/run-steps.ts'
import { insertWait, resumeWait } from '../store/automations/run-waits.ts'
import {
  findRun,
  finishClaimedRun,
  type RunLease,
  type RunRow,
  rescheduleRun,
  runJobKind,
  updateClaimedRun,
} from '../store/automations/runs.ts'
import type { AccountQuery } from '../store/database/connection.ts'
import { deleteJob, heldUntil } from '../store/runtime/scheduled-jobs.ts'
import type { UnstoredRun } from './accept-run.ts'
import { callResult, wakeCaller } from './called-runs.ts'
import { callbackTimeout, leaseMs } from './run-limits.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** Run that waited for another one and can continue. */
interface ReadyRun {
  readonly id: string
  readonly account: number
}

const deletedRun: CallResult = { status: 'error', errorMessage: 'The called run was deleted before it ended.' }

/**
 * Ends the waits of calls in the transactions of a run: that of the step that called the run, and those of its own steps.
 * The job of a run that can continue then is leased to this process, which must resume it after the transaction.
 */
class RunCalls {
  readonly #deps: Pick<RunnerDeps, 'owner' | 'wall'>
  readonly #run: RunRow
  /** Run that can continue after the current transaction. */
  ready: ReadyRun | undefined

  constructor(deps: Pick<RunnerDeps, 'owner' | 'wall'>, run: RunRow) {
    this.#deps = deps
    this.#run = run
  }

  /** Lets the step that called this run continue, if the run has responded or ended with `change`. */
  async wakeCaller(query: AccountQuery, change: Partial<RunRow>, now: Micros): Promise<void> {
    if (this.#run.dedupe_key === null) return
    this.ready ??= await wakeCaller(query, { ...this.#run, ...change }, now, this.#lease())
  }

  /** Ends a wait of this run for a called run that has responded or ended before the wait was stored. */
  async endWait(query: AccountQuery, wait: string, called: string, now: Micros): Promise<boolean> {
    const run = await findRun(query, called)
    const result = run ? callResult(run) : deletedRun
    if (!result) return false
    await resumeWait(query, wait, stringifyJson(result), now)
    await rescheduleRun(query, this.#run.id, now, this.#lease())
    this.ready = { id: this.#run.id, account: this.#run.account_id }
    return true
  }

  #lease(): RunLease {
    return { owner: this.#deps.owner, until: this.#deps.wall() + leaseMs }
  }
}

/**
 * Thrown if this process no longer has the run: another one claimed it, it was deleted or it waits. Nothing more is written, and
 * runner.ts ends the run here without a log entry.
 */
export class RunLostError extends Error {
  override readonly name = 'Lost'
}

/** Thrown in a transaction whose step must not start, because the account is stopped. */
class StepHeldError extends Error {
  override readonly name = 'Held'
}

/** How a run ended. */
interface RunEnd {
  readonly status: 'SUCCEEDED' | 'FAILED'
  readonly error: string | null
  readonly answer: string | null
  readonly active: Micros
}

/** Buffered entry: a step that started and ended, or another change. */
type PendingWrite = EndedStep | { readonly apply: (query: AccountQuery) => Promise<void> }

/** Where the recording of a run begins. */
interface RecordingStart {
  /** Position of the last step that is recorded. */
  readonly position: number
  /** Path of the step that was started when the run was accepted. */
  readonly startedPath?: string | undefined
  /** Given if the run is not stored yet. */
  readonly unstored?: UnstoredRun | undefined
  /** Called after a transaction with a run that can continue, whose job this process has leased. */
  readonly onReady?: ((run: ReadyRun) => void) | undefined
}

/** Maximum number of buffered entries, and milliseconds after which they are written during a step that takes long. */
const maxPendingWrites = 64
const maxPendingMs = 500

/**
 * Records the progress of a run in one transaction per step: the end of a step and the start of the next.
 * The end of a step is buffered until then. If the process dies, at most one step has an unknown outcome, and its start
 * is recorded. Steps without external effects, such as branches, are written together with the next entry: repeated
 * after a crash, they have the same result.
 */
export class RunRecorder implements StepRecorder {
  readonly #deps: Pick<RunnerDeps, 'connection' | 'now' | 'failed' | 'owner' | 'wall'>
  readonly #run: RunRow
  /** Stores the run before the first entry; undefined once it is stored. */
  #unstored: UnstoredRun | undefined
  #position: number
  #pendingWrites: PendingWrite[] = []
  /** Path of the step that was started when the run was accepted. */
  #startedPath: string | undefined
  /** Started step without external effects that is not written yet. */
  #pendingStep: StartedStep | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #calls: RunCalls
  readonly #onReady: RecordingStart['onReady']
  /** Writes what was buffered for long. Nothing else is written or buffered until it ends. */
  #saving: Promise<void> | undefined

  constructor(
    deps: Pick<RunnerDeps, 'connection' | 'now' | 'failed' | 'owner' | 'wall'>,
    run: RunRow,
    { position, startedPath, unstored, onReady }: RecordingStart,
  ) {
    this.#onReady = onReady
    this.#calls = new RunCalls(deps, run)
    this.#unstored = unstored
    this.#deps = deps
    this.#run = run
    this.#position = position
    this.#startedPath = startedPath
  }

  /**
   * Records the start of a step and returns the number of the attempt. The first attempt of a step without external
   * effects is written with the next entry. Any other step of a stopped account does not start: the run waits before it
   * until the account is resumed. @throws RunLostError
   */
  async begin(path: string, name: string, isInner = false): Promise<number> {
    if (this.#startedPath === path) {
      this.#startedPath = undefined
      return 1
    }
    if (this.#saving) await this.#saving
    const position = ++this.#position
    const account = this.#run.account_id
    if (isInner && this.#pendingWrites.length < maxPendingWrites) {
      this.#pendingStep = { account, path, name, position, now: await this.#deps.now() }
      this.#timer ??= realTime.setTimeout(() => this.#startSaving(), maxPendingMs)
      return 1
    }
    try {
      return await this.#write(async (query, now) => {
        // Sent together, because each waits for an answer of the database.
        const [attempt, isHeld] = await Promise.all([
          this.#beginStep(query, { account, path, name, position, now }),
          this.#run.testing === 1 ? false : isStopped(query),
        ])
        if (isHeld) throw new StepHeldError()
        return attempt
      })
    } catch (error) {
      if (!(error instanceof StepHeldError)) throw error
      await this.#hold()
      throw new RunLostError()
    }
  }

  /** Lets the run wait before its next step until its account is resumed. @throws RunLostError */
  #hold(): Promise<void> {
    return this.#write(async (query, now) => {
      this.#requireHeld(await updateClaimedRun(query, this.#run, { held: 0 }))
      // It may have been resumed since.
      await rescheduleRun(query, this.#run.id, (await isStopped(query)) ? heldUntil : now)
    })
  }

  /** Records the end of a step; written with the next entry. */
  async end(step: StepEnd): Promise<void> {
    const now = await this.#deps.now()
    if (this.#saving) await this.#saving
    const pendingStep = this.#pendingStep
    this.#pendingStep = undefined
    if (pendingStep?.path !== step.path)
      this.#pendingWrites.push({ apply: (query) => finishStep(query, this.#run.number, { ...step, now }) })
    else this.#pendingWrites.push({ step: pendingStep, end: { ...step, now } })
  }

  /** Records the items of a loop; written with the next entry. */
  async items(path: string, items: string): Promise<void> {
    if (this.#saving) await this.#saving
    const pendingStep = this.#pendingStep
    this.#pendingStep = undefined
    if (pendingStep)
      this.#pendingWrites.push({ apply: async (query) => void (await this.#beginStep(query, pendingStep)) })
    this.#pendingWrites.push({ apply: (query) => saveLoopItems(query, this.#run.number, path, items) })
  }

  /** Writes what is buffered, with the start of the current step, so that the loss of the process costs little. */
  #startSaving(): void {
    this.#timer = undefined
    const step = this.#pendingStep
    if (step === undefined) return
    this.#saving = this.#write(async (query) => void (await this.#beginStep(query, step)))
      .then(() => {
        this.#pendingStep = undefined
      })
      // The next entry meets the same error and reports it.
      .catch(() => {})
      .finally(() => {
        this.#saving = undefined
      })
  }

  /** Stops saving what is buffered, before the run ends or waits. */
  async #stopSaving(): Promise<void> {
    realTime.clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#saving) await this.#saving
  }

  /** Stores the response before the run continues. @throws RunLostError */
  async answer(answer: string): Promise<void> {
    await this.#write(async (query, now) => {
      this.#requireHeld(await updateClaimedRun(query, this.#run, { answer }))
      await this.#calls.wakeCaller(query, { answer }, now)
    })
  }

  /** Records the end of the run. @throws RunLostError */
  async finish(end: RunEnd): Promise<void> {
    await this.#stopSaving()
    const unstored = this.#unstored
    if (unstored) return this.#transact((query, now) => this.#finishUnstored(query, unstored, end, now))
    await this.#write(async (query, now) => {
      // Sent together, because each waits for an answer of the database. If the run is not held, nothing is saved.
      const [isHeld] = await Promise.all([
        finishClaimedRun(query, this.#run, { ...end, now }),
        deleteJob(query, runJobKind, this.#run.id),
      ])
      this.#requireHeld(isHeld)
      await this.#reportFailure(query, end.error, now)
      await this.#calls.wakeCaller(query, end, now)
    })
  }

  /** Stores a run that has ended; it needs no job. */
  async #finishUnstored(query: AccountQuery, unstored: UnstoredRun, end: RunEnd, now: Micros): Promise<void> {
    const entries = this.#pendingWrites
    const steps = entries.filter((it) => 'step' in it)
    const { status, error, answer, active } = end
    if (steps.length === entries.length) {
      const { connection } = this.#deps
      const isTogether = connection.dialect === 'postgres' && !connection.isSharded?.()
      const insert = isTogether ? insertEndedRun : insertEndedRunRows
      await unstored.insert(query, (row) =>
        insert(query, { ...row, status, error, answer, active, held: 0, finished_at: now }, steps),
      )
    } else {
      await unstored.insert(query)
      await this.#flush(query, entries)
      this.#requireHeld(await finishClaimedRun(query, this.#run, { ...end, now }))
    }
    await this.#reportFailure(query, error, now)
  }

  async #reportFailure(query: AccountQuery, error: string | null, now: Micros): Promise<void> {
    if (error !== null && this.#run.testing === 0) await this.#deps.failed?.(query, { run: this.#run, error, now })
  }

  /** Suspends the run until a retry, or, with `wait`, because a step paused. @throws RunLostError */
  async park(at: {
    until: Micros | null
    active: Micros
    answer: string | null
    wait?: { readonly id: string; readonly path: string; readonly call?: string | undefined }
  }): Promise<void> {
    const { until, active, answer, wait } = at
    await this.#stopSaving()
    // A test ends where a run would pause: later steps only run in live runs.
    const isOver = wait !== undefined && this.#run.testing === 1
    await this.#write(async (query, now) => {
      const status = wait ? 'PAUSED' : 'RUNNING'
      this.#requireHeld(
        await updateClaimedRun(query, this.#run, {
          held: 0,
          active,
          answer,
          status,
          ...(isOver && { finished_at: now }),
        }),
      )
      const { account_id, number } = this.#run
      if (wait) await insertWait(query, { id: wait.id, path: wait.path, account_id, run: number, until })
      if (isOver) await deleteJob(query, runJobKind, this.#run.id)
      else if (wait?.call === undefined || !(await this.#calls.endWait(query, wait.id, wait.call, now)))
        await rescheduleRun(query, this.#run.id, until ?? now + callbackTimeout)
      if (answer !== null) await this.#calls.wakeCaller(query, { answer }, now)
    })
  }

  /** Releases the run, so that any process can claim it. @throws RunLostError */
  async release(active: Micros): Promise<void> {
    await this.#stopSaving()
    await this.#write(async (query, now) => {
      this.#requireHeld(await updateClaimedRun(query, this.#run, { held: 0, active }))
      await rescheduleRun(query, this.#run.id, now)
    })
  }

  async #beginStep(query: AccountQuery, step: StartedStep): Promise<number> {
    const attempt = await startStep(query, this.#run, step)
    if (attempt === undefined) throw new RunLostError()
    return attempt
  }

  #requireHeld(isHeld: boolean): void {
    if (!isHeld) throw new RunLostError()
  }

  /** Writes buffered entries and then an entry, in one transaction. */
  #write<T>(body: (query: AccountQuery, now: Micros) => Promise<T>): Promise<T> {
    const [unstored, entries] = [this.#unstored, this.#pendingWrites]
    return this.#transact(async (query, now) => {
      await unstored?.store(query)
      await this.#flush(query, entries)
      return body(query, now)
    })
  }

  /** Runs a transaction that stores everything up to now. */
  async #transact<T>(body: (query: AccountQuery, now: Micros) => Promise<T>): Promise<T> {
    const now = await this.#deps.now()
    // Holding the account, because a claim by another process must come before or after all of these statements.
    const result = await this.#deps.connection.write({ account: this.#run.account_id }, (query) => {
      this.#calls.ready = undefined
      return body(query, now)
    })
    this.#pendingWrites = []
    if (this.#unstored) this.#unstored.isStored = true
    this.#unstored = undefined
    if (this.#calls.ready) this.#onReady?.(this.#calls.ready)
    return result
  }

  /** Writes buffered entries in their order, consecutive steps together. */
  async #flush(query: AccountQuery, entries: readonly PendingWrite[]): Promise<void> {
    let steps: { readonly step: StartedStep; readonly end: StepResult }[] = []
    const insert = async (): Promise<void> => {
      if (steps.length > 0) this.#requireHeld(await insertSteps(query, this.#deps.connection.dialect, this.#run, steps))
      steps = []
    }
    for (const entry of entries) {
      if ('step' in entry) steps.push(entry)
      else {
        await insert()
        await entry.apply(query)
      }
    }
    await insert()
  }
}
