import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { isSkipped } from '../../flow/definition/node.ts'
import type { Micros } from '../../flow/pieces/ports.ts'
import type { VersionRow } from '../../store/automations/automation-versions.ts'
import { purgeOldRuns } from '../../store/automations/run-retention.ts'
import { startStep } from '../../store/automations/run-steps.ts'
import { insertRun, type RunRow, renewRunLeases, rescheduleRun, runJobKind } from '../../store/automations/runs.ts'
import type { Query } from '../../store/database/connection.ts'
import { insertJob } from '../../store/runtime/scheduled-jobs.ts'
import { type ClaimedRun, claimRun } from './claim-run.ts'
import { Journal, RunLostError } from './journal.ts'
import { ProgramCache } from './program-cache.ts'
import { heartbeatMs, leaseMs, maxActiveTime, maxConcurrentRuns } from './run-limits.ts'
import { type RunResult, RunWaiters } from './run-waiters.ts'
import type { RunnerDeps } from './runner-deps.ts'
import { type RunAnswer, type StopReason, Walker, waitId } from './walker.ts'

export interface RunRequest {
  readonly automation: { readonly id: string; readonly account_id: number }
  readonly version: Pick<VersionRow, 'id' | 'program' | 'definition'>
  /** What the trigger gives. */
  readonly payload: unknown
  readonly testing: boolean
  /** Accepting again under the same key makes no second run of the automation. */
  readonly dedupe?: string
}

/** A run that was accepted by this process, and is to be started. */
export interface AcceptedRun {
  readonly row: RunRow
  /** Path of the first step, which was begun with the run. */
  readonly startedStep: string | undefined
}

/**
 * Runs automations: the table of runs is the queue, and every run that has not ended has a row of due work, leased while a process runs it. When
 * that process dies, whoever finds the row goes on behind the last step that ended.
 */
export class Runner {
  readonly #deps: RunnerDeps
  readonly #programs = new ProgramCache()
  readonly #waiters: RunWaiters
  /** Runs of this process, by id. */
  readonly #running = new Map<string, Promise<void>>()
  readonly #queue: (() => void)[] = []
  readonly #closing = new AbortController()
  /** What breaks off the runs that go on. */
  readonly #abortControllers = new Set<AbortController>()
  #isStopping = false
  #freeSlots = maxConcurrentRuns
  #heartbeat: NodeJS.Timeout | undefined

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    this.#waiters = new RunWaiters(deps.connection)
  }

  /** Keeps a run, taken by this process, in the caller's transaction; give it to `start` once that is committed. Undefined when it was accepted before. */
  async accept(
    query: Query,
    { automation, version, payload, testing, dedupe }: RunRequest,
    now: Micros,
  ): Promise<AcceptedRun | undefined> {
    const account = automation.account_id
    const row = await insertRun(query, {
      id: await this.#deps.newId(query, now),
      account_id: account,
      automation_id: automation.id,
      version_id: version.id,
      testing: testing ? 1 : 0,
      status: 'RUNNING',
      payload: JSON.stringify(payload) ?? 'null',
      claims: 1,
      held: 1,
      mark: 0,
      stalls: 0,
      round: 1,
      active: 0,
      dedupe_key: dedupe ?? null,
      created_at: now,
    })
    if (!row) return undefined
    await purgeOldRuns(query, row)
    const first = this.#programs.get(version).nextAction
    // A step that touches nothing outside is written once, when it has ended.
    const isOuter =
      first && !isSkipped(first) && first.type !== 'LOOP_ON_ITEMS' && this.#deps.machine.isInner?.(first) !== true
    const startedStep = isOuter ? String(first.name) : undefined
    if (startedStep !== undefined)
      await startStep(query, row, { account, path: startedStep, name: startedStep, position: 1, now })
    const { owner, wall } = this.#deps
    await insertJob(query, {
      account_id: account,
      kind: runJobKind,
      subject: row.id,
      due_at: now,
      attempts: 0,
      lease_owner: owner,
      lease_until: wall() + leaseMs,
    })
    return { row, startedStep }
  }

  /** The trigger of what a version runs, with the steps on it. */
  getProgram(version: RunRequest['version']): AutomationNode {
    return this.#programs.get(version)
  }

  /** Begins a run that was accepted. The promise ends when the run has ended, or waits for something. */
  start({ row, startedStep }: AcceptedRun): Promise<void> {
    return this.#running.get(row.id) ?? this.#run({ run: row, steps: [], waits: [] }, startedStep, this.#acquireSlot())
  }

  /** Goes on with runs whose due work this process has leased; returns when they are taken. */
  async resume(ids: readonly string[]): Promise<void> {
    const remaining = ids.filter((id) => !this.#running.has(id))
    while (remaining.length > 0) {
      // Nothing is taken that cannot be begun at once: it would count as if this process had died over it.
      await this.#acquireSlot()
      const batch = remaining.splice(0, 1 + this.#freeSlots)
      this.#freeSlots -= batch.length - 1
      const claimed = await this.#claim(batch).catch((error: unknown) => {
        for (const _ of batch) this.#releaseSlot()
        throw error
      })
      for (const it of claimed) {
        if (it) void this.#run(it)
        else this.#releaseSlot()
      }
    }
  }

  async #claim(ids: readonly string[]): Promise<(ClaimedRun | undefined)[]> {
    const { connection, now, failed } = this.#deps
    const at = await now()
    return connection.write(async (query) => {
      const claimed: (ClaimedRun | undefined)[] = []
      for (const id of ids) claimed.push(await claimRun(query, id, at, failed))
      return claimed
    })
  }

  /** What a run answers, once it has or has ended without; undefined when neither comes in time. */
  waitForResult(run: string, timeoutMs: number): Promise<RunResult | undefined> {
    return this.#waiters.wait(run, timeoutMs)
  }

  /** Waits for the runs that go on now, at most for as long. */
  settle(budgetMs: number): Promise<void> {
    return withTimeout(Promise.all(this.#running.values()), budgetMs)
  }

  /** Waits for a run of this process to end, or to wait for something itself. */
  waitForRun(run: string, budgetMs: number): Promise<void> {
    return withTimeout(this.#running.get(run), budgetMs)
  }

  /** Begins no more steps; lets those under way end, for a while, and gives the runs to whoever takes them next. */
  async close(timeoutMs = 5000): Promise<void> {
    this.#closing.abort()
    const timer = setTimeout(() => this.#abortRuns(), timeoutMs)
    while (this.#running.size > 0) await this.settle(Number.POSITIVE_INFINITY)
    clearTimeout(timer)
    clearInterval(this.#heartbeat)
    await this.#deps.machine.close?.()
  }

  #abortRuns(): void {
    this.#isStopping = true
    for (const it of this.#abortControllers) it.abort()
  }

  /** Runs what was taken, in a turn that is had already or comes with `turn`. */
  #run(claimed: ClaimedRun, startedStep?: string, slot: Promise<void> = Promise.resolve()): Promise<void> {
    const { id } = claimed.run
    const running = slot
      .then(() => this.#execute(claimed, startedStep))
      .catch((error: Error) => {
        if (error instanceof RunLostError) return undefined
        this.#deps.log(`run ${id}: ${error.stack ?? error.message}`)
        return this.#postpone(id)
      })
      .finally(() => {
        this.#releaseSlot()
        this.#running.delete(id)
        if (this.#running.size === 0) this.#stopHeartbeat()
      })
    this.#running.set(id, running)
    this.#startHeartbeat()
    return running
  }

  /** Leaves a run that could not be gone on with to be taken again later; it counts as if the process had died. */
  async #postpone(id: string): Promise<void> {
    const { connection, now, log } = this.#deps
    try {
      const at = (await now()) + leaseMs * 1000
      await connection.write((query) => rescheduleRun(query, id, at))
    } catch (error) {
      log(`run ${id}: ${(error as Error).message}`)
    }
  }

  async #acquireSlot(): Promise<void> {
    if (this.#freeSlots > 0) this.#freeSlots--
    else await new Promise<void>((resolve) => this.#queue.push(resolve))
  }

  /** Ends a turn. */
  #releaseSlot(): void {
    const next = this.#queue.shift()
    if (next) next()
    else this.#freeSlots++
  }

  async #execute({ run, steps, waits }: ClaimedRun, startedStep: string | undefined): Promise<void> {
    const deps = this.#deps
    const journal = new Journal(deps, run, {
      position: startedStep === undefined ? Math.max(0, ...steps.map((it) => it.position)) : 1,
      startedPath: startedStep,
    })
    const trigger = await this.#programs.find(deps.connection.read, run.version_id)
    if (!trigger) throw new RunLostError()
    const since = deps.wall()
    const active = (): Micros => run.active + Math.round((deps.wall() - since) * 1000)
    // One controller for both reasons: signals that follow others cost more than a short run does.
    const abort = new AbortController()
    let isOverdue = false
    const onOverdue = (): void => {
      isOverdue = true
      abort.abort()
    }
    const timer = setTimeout(onOverdue, Math.max(0, (maxActiveTime - run.active) / 1000))
    this.#abortControllers.add(abort)
    if (this.#isStopping) abort.abort()
    const onAnswer = (answer: RunAnswer): void => this.#waiters.notify(run.id, { answer, isOver: false })
    const walker = new Walker({
      deps,
      run,
      journal,
      secrets: this.#programs.secretsOf(trigger),
      steps,
      waits,
      signal: abort.signal,
      closing: this.#closing.signal,
      onAnswer,
    })
    try {
      const halt = await walker.walk(trigger)
      const isOverLimit = halt.kind === 'broken' && isOverdue
      if (isOverLimit && halt.step) await journal.end({ ...halt.step, ...overdueStep })
      await this.#end(
        journal,
        run,
        isOverLimit ? { kind: 'failed', error: overdueError, classification: 'wiring_error' } : halt,
        walker.answer,
        active(),
      )
    } finally {
      clearTimeout(timer)
      this.#abortControllers.delete(abort)
    }
  }

  async #end(journal: Journal, run: RunRow, halt: StopReason, answer: string | null, active: Micros): Promise<void> {
    if (halt.kind === 'broken') return journal.release(active)
    if (halt.kind === 'waiting') return journal.park({ until: halt.until, active, answer })
    if (halt.kind === 'paused') {
      await journal.park({ until: halt.until, active, answer, wait: { id: waitId(run, halt.path), path: halt.path } })
      if (answer !== null) this.#waiters.notify(run.id, { answer: JSON.parse(answer), isOver: false })
      return
    }
    const error = halt.kind === 'failed' ? halt.error : null
    await journal.finish({ status: error === null ? 'SUCCEEDED' : 'FAILED', error, answer, active })
    this.#waiters.notify(run.id, { answer: answer === null ? undefined : JSON.parse(answer), isOver: true })
  }

  /** Signs of life: without them another process may take the runs. */
  #startHeartbeat(): void {
    const { connection, owner, wall, log } = this.#deps
    this.#heartbeat ??= setInterval(() => {
      connection
        .write((query) => renewRunLeases(query, owner, wall() + leaseMs))
        .catch((error: Error) => log(error.message))
    }, heartbeatMs)
  }

  #stopHeartbeat(): void {
    clearInterval(this.#heartbeat)
    this.#heartbeat = undefined
  }
}

async function withTimeout(work: Promise<unknown> | undefined, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    if (Number.isFinite(ms)) timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, timeout])
  clearTimeout(timer)
}

const overdueError = `The run took more than ${maxActiveTime / 1_000_000} seconds of processing time.`
const overdueStep = {
  status: 'FAILED',
  input: null,
  output: null,
  shown: null,
  error: overdueError,
  classification: 'wiring_error',
  unresolved: null,
  log: null,
} as const
