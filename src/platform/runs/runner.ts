import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { Failure } from '../../contract/errors/failures.ts'
import { type Micros, second } from '../../contract/values/micros.ts'
import { nodeSettings } from '../../engine/definition/node.ts'
import { StepFailure } from '../../engine/pieces/step-failure.ts'
import { callWaitId, waitId } from '../../engine/runs/run-keys.ts'
import type { RunAnswer, StopReason } from '../../engine/runs/run-state.ts'
import { Walker } from '../../engine/runs/walker.ts'
import { FairQueue } from '../../node/fair-queue.ts'
import { parseJson } from '../../node/json.ts'
import { realTime } from '../../node/real-time.ts'
import type { MeasureWork } from '../../node/spans.ts'
import { type RunRow, rescheduleRun, runJobKind } from '../store/automations/runs.ts'
import { accountQuery } from '../store/database/account-query.ts'
import type { AccountQuery } from '../store/database/connection.ts'
import { isOutage, StoreError } from '../store/database/store-error.ts'
import { writeRows } from '../store/database/write-rows.ts'
import { renewLeasesOf } from '../store/runtime/scheduled-jobs.ts'
import { type AcceptedRun, acceptRun, newRun, outerFirstStep, type RunRequest, UnstoredRun } from './accept-run.ts'
import { type ClaimedRun, claimRuns } from './claim-run.ts'
import { ProgramCache } from './program-cache.ts'
import { heartbeatMs, leaseMs, maxActiveTime, maxConcurrentRuns, maxStartedRuns, maxWaitingRuns } from './run-limits.ts'
import { RunLostError, RunRecorder } from './run-recorder.ts'
import { type OwnedRun, type RunResult, RunWaiters } from './run-waiters.ts'
import type { RunnerDeps } from './runner-deps.ts'

/** Limits of the runs of a process: those of run-limits.ts. */
interface SlotLimits {
  /** Maximum number of runs that work at the same time. */
  readonly working: number
  /** Maximum number of runs of one account that have started, those that wait for an answer included. */
  readonly startedOfAccount: number
}

/**
 * Limits how many runs a process executes at a time, fairly to accounts: the accounts take turns. A run has no slot while
 * it waits for an answer from outside or for its code, so that a slow receiver holds up only its own account.
 */
export class RunSlots {
  readonly #limits: SlotLimits
  /** Runs that have not started. Its number of running jobs is that of the started runs. */
  readonly #starting = new FairQueue<() => void>()
  /** Started runs that have to continue. */
  readonly #continuing = new FairQueue<() => void>()
  readonly #waiting = new Map<number, number>()
  #free: number
  /** Whether a run that continues is next; otherwise one that starts. */
  #continuesNext = true

  constructor(limits: SlotLimits) {
    this.#limits = limits
    this.#free = limits.working
  }

  /** Resolves when a run of the account may start. */
  async start(account: number): Promise<void> {
    if (this.tryStart(account)) return
    this.#waiting.set(account, this.waitingOf(account) + 1)
    await new Promise<void>((resolve) => {
      this.#starting.add(account, resolve)
      this.#assign()
    })
    const left = this.waitingOf(account) - 1
    if (left === 0) this.#waiting.delete(account)
    else this.#waiting.set(account, left)
  }

  /** Starts a run of the account if it need not wait. Returns whether it did. */
  tryStart(account: number): boolean {
    if (this.#free === 0 || this.#starting.runningOf(account) >= this.#limits.startedOfAccount) return false
    // With a free slot, only runs of accounts that have too many are waiting.
    if (this.waitingOf(account) > 0) return false
    this.#free--
    this.#starting.begin(account)
    return true
  }

  /** Returns how many runs of the account have not started because of the limits. */
  waitingOf(account: number): number {
    return this.#waiting.get(account) ?? 0
  }

  /** Runs what needs no slot, and resolves when the run has one again. */
  async withoutSlot<T>(account: number, work: () => Promise<T>): Promise<T> {
    this.#release()
    try {
      return await work()
    } finally {
      if (this.#free > 0) this.#free--
      else await new Promise<void>((resolve) => this.#continuing.add(account, resolve))
    }
  }

  /** Ends a started run. */
  end(account: number): void {
    this.#starting.end(account, 0)
    this.#release()
  }

  #release(): void {
    this.#free++
    this.#assign()
  }

  /** Gives free slots to waiting runs. */
  #assign(): void {
    while (this.#free > 0) {
      const next = this.#continuesNext
        ? (this.#takeContinuing() ?? this.#takeStarting())
        : (this.#takeStarting() ?? this.#takeContinuing())
      if (!next) return
      this.#continuesNext = !this.#continuesNext
      this.#free--
      next()
    }
  }

  #takeStarting(): (() => void) | undefined {
    return this.#starting.take((started) => started < this.#limits.startedOfAccount)
  }

  #takeContinuing(): (() => void) | undefined {
    return this.#continuing.take()
  }
}

/** Run that this process executes, and how it is stored if it is not. */
type StartedRun = ClaimedRun & { readonly unstored?: UnstoredRun }

/**
 * Runs automations. The table of runs is the queue: every unfinished run has a job, which a process leases while it
 * runs it. If that process dies, another one continues after the last completed step.
 */
export class Runner {
  readonly #deps: RunnerDeps
  readonly #machine: RunnerDeps['machine']
  readonly #programs: ProgramCache
  readonly #waiters: RunWaiters
  /** Runs of this process, by id. */
  readonly #running = new Map<string, { readonly account_id: number; readonly ended: Promise<void> }>()
  /** Accounts of the runs that wait until they may start, whose jobs this process has leased. */
  readonly #resuming = new Map<string, number>()
  readonly #slots = new RunSlots({ working: maxConcurrentRuns, startedOfAccount: maxStartedRuns })
  readonly #closing = new AbortController()
  /** Controllers that abort the active runs, by run. */
  readonly #abortControllers = new Map<string, AbortController>()
  #isStopping = false
  #heartbeat: NodeJS.Timeout | undefined

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    this.#machine = deps.measure ? tracedMachine(deps.machine, deps.measure) : deps.machine
    this.#programs = new ProgramCache(deps.openDefinition ?? ((_, stored) => stored))
    this.#waiters = new RunWaiters(deps.connection)
  }

  /** Stores a run in the caller's transaction; call `start` after the commit. Returns undefined for a duplicate. */
  accept(query: AccountQuery, request: RunRequest, now: Micros): Promise<AcceptedRun | undefined> {
    return acceptRun(query, this.#deps, { ...request, trigger: this.#programs.get(request.version), now })
  }

  /** Returns the program of a version: its trigger with the steps. */
  getProgram(version: RunRequest['version']): AutomationNode {
    return this.#programs.get(version)
  }

  /** Starts an accepted run. The promise resolves when the run has ended or waits. */
  start({ row, startedStep, isHeld }: AcceptedRun): Promise<void> {
    if (isHeld) return Promise.resolve()
    return (
      this.#running.get(row.id)?.ended ??
      this.#run({ run: row, steps: [], waits: [] }, startedStep, this.#slots.start(row.account_id))
    )
  }

  /**
   * Runs a request whose caller waits for the result, at most `timeoutMs`. The run is stored with its first entry that
   * has an effect outside it, or with its end, so that a short run is one transaction. Returns undefined if the run must
   * be stored first. The result rejects if the run could not be stored.
   */
  async runAndAnswer(
    request: RunRequest,
    timeoutMs: number,
  ): Promise<{ readonly run: string; readonly result: Promise<RunResult | undefined> } | undefined> {
    const deps = this.#deps
    if (
      request.automation.key_id != null ||
      request.testing ||
      request.dedupe !== undefined ||
      deps.mayStoreLater?.() !== true
    )
      return undefined
    if (outerFirstStep(this.#programs.get(request.version), deps.machine) !== undefined) return undefined
    const now = await deps.now()
    const id = await deps.newId(
      accountQuery(deps.connection.read, request.automation.account_id),
      request.automation.account_id,
      now,
    )
    if (this.#closing.signal.aborted || !this.#slots.tryStart(request.automation.account_id)) return undefined
    const unstored = new UnstoredRun(deps, newRun({ ...request, now }, id))
    const result = this.#waiters.wait(
      { id, account: request.automation.account_id },
      timeoutMs,
      () => unstored.isStored,
    )
    void this.#run({ run: unstored.row, steps: [], waits: [], unstored })
    return { run: id, result }
  }

  /**
   * Resumes runs whose jobs this process has leased. Returns when they are claimed. A run that this process still
   * records as waiting is resumed after that.
   */
  async resume(runs: readonly OwnedRun[]): Promise<void> {
    const remaining = runs.filter(({ id }) => !this.#running.has(id))
    for (const run of runs) void this.#running.get(run.id)?.ended.then(() => this.resume([run]))
    await Promise.all(
      [...new Set(remaining.map((it) => it.account))].map((account) =>
        this.#resumeOwn(
          account,
          remaining.filter((it) => it.account === account).map((it) => it.id),
        ),
      ),
    )
  }

  /** Returns whether this process executes a run, or is about to. After a failure of the database, `OwnLeases` releases the others. */
  holds(id: string): boolean {
    return this.#running.has(id) || this.#resuming.has(id)
  }

  /** Resumes runs of one account, in batches of those that may start. */
  async #resumeOwn(account: number, remaining: string[]): Promise<void> {
    for (const id of remaining) this.#resuming.set(id, account)
    while (remaining.length > 0) {
      // Only claims runs that can start now: a process that dies before the start counts as one that died during it.
      await this.#slots.start(account)
      const batch = remaining.splice(0, 1)
      while (remaining.length > 0 && this.#slots.tryStart(account)) batch.push(...remaining.splice(0, 1))
      for (const run of await this.#claim(account, batch)) {
        if (run) void this.#run(run)
        else this.#slots.end(account)
      }
      for (const id of batch) this.#resuming.delete(id)
    }
  }

  /** Claims runs of an account in one transaction. Runs that cannot be claimed now are postponed. */
  async #claim(account: number, ids: readonly string[]): Promise<(ClaimedRun | undefined)[]> {
    const { connection, now, failed, log } = this.#deps
    try {
      const at = await now()
      return await connection.write({ account }, (query) => claimRuns(query, ids, at, failed))
    } catch (error) {
      log(`runs ${ids.join(', ')}: ${(error as Error).message}`)
      for (const id of ids) await this.#postpone({ id, account }, error)
      return ids.map(() => undefined)
    }
  }

  /** Returns whether so many runs of an account wait for their start that webhook-service.ts refuses to start more. */
  isBehind(account: number): boolean {
    return this.#slots.waitingOf(account) >= maxWaitingRuns
  }

  /** Waits until a run sends a response or ends without one. Returns undefined after the timeout. */
  waitForResult(run: OwnedRun, timeoutMs: number): Promise<RunResult | undefined> {
    return this.#waiters.wait(run, timeoutMs)
  }

  /** Waits for the active runs, at most `budgetMs`. */
  settle(budgetMs: number): Promise<void> {
    return withTimeout(Promise.all([...this.#running.values()].map((it) => it.ended)), budgetMs)
  }

  /** Waits until a run of this process has ended or waits, at most `budgetMs`. */
  waitForRun(run: string, budgetMs: number): Promise<void> {
    return withTimeout(this.#running.get(run)?.ended, budgetMs)
  }

  /** Aborts the active step of a run that was cancelled. Another process notices it at its next entry. */
  abort(run: string): void {
    this.#abortControllers.get(run)?.abort()
  }

  /** Stops starting steps, waits up to `timeoutMs` for active steps, and releases the runs for other processes. */
  async close(timeoutMs = 5000): Promise<void> {
    this.#closing.abort()
    const timer = realTime.setTimeout(() => this.#abortRuns(), timeoutMs)
    while (this.#running.size > 0) await this.settle(Number.POSITIVE_INFINITY)
    realTime.clearTimeout(timer)
    realTime.clearInterval(this.#heartbeat)
    await this.#deps.machine.close?.()
  }

  #abortRuns(): void {
    this.#isStopping = true
    for (const controller of this.#abortControllers.values()) controller.abort()
  }

  /** Executes a claimed run in a concurrency slot, which is already acquired or arrives with `slot`. */
  #run(claimed: StartedRun, startedStep?: string, slot: Promise<void> = Promise.resolve()): Promise<void> {
    const { id } = claimed.run
    const ended = slot
      .then(() => this.#execute(claimed, startedStep))
      .catch((error: Error) => {
        if (error instanceof RunLostError) return undefined
        if (claimed.unstored?.isStored === false) return this.#waiters.fail(id, error)
        this.#deps.log(`run ${id}: ${error.stack ?? error.message}`)
        return this.#postpone({ id, account: claimed.run.account_id }, error)
      })
      .finally(() => {
        this.#slots.end(claimed.run.account_id)
        this.#running.delete(id)
        if (this.#running.size === 0) this.#stopHeartbeat()
      })
    this.#running.set(id, { account_id: claimed.run.account_id, ended })
    this.#startHeartbeat()
    return ended
  }

  /** Reschedules a run that could not continue, briefly after an outage. It counts as if the process had died. */
  async #postpone({ id, account }: OwnedRun, error: unknown): Promise<void> {
    const { connection, now, log } = this.#deps
    try {
      const at = (await now()) + (isOutage(error) ? second : leaseMs * 1000)
      await connection.write({ rows: account }, (query) => rescheduleRun(query, id, at))
    } catch (error) {
      log(`run ${id}: ${(error as Error).message}`)
    }
  }

  /** Returns a machine that executes a step with effects only while the key of the run may act: it may expire in between. */
  #whileKeyActs(run: RunRow, machine: RunnerDeps['machine']): RunnerDeps['machine'] {
    return {
      ...machine,
      getRunner: (node) => {
        const execute = machine.getRunner(node)
        if (machine.isInner?.(node) || node.type === 'LOOP_ON_ITEMS') return execute
        return async (context, step) => {
          const problem = await this.#deps.findKeyProblem?.(run)
          if (problem !== undefined) throw new StepFailure(problem, { mayRetry: false })
          return execute(context, step)
        }
      },
    }
  }

  /** Executes a run until it ends or waits, which is one span of its trace. */
  async #execute(started: StartedRun, startedStep: string | undefined): Promise<void> {
    const { measure } = this.#deps
    const walk = () => this.#walk(started, startedStep)
    if (!measure) return void (await walk())
    const { id, account_id, automation_id } = started.run
    await measure('internal', walk, (ended) => {
      const status = 'result' in ended ? ended.result : 'failed'
      return {
        name: 'automation run',
        attributes: {
          'parley.account.id': account_id,
          'parley.automation.id': automation_id,
          'parley.run.id': id,
          'parley.run.status': status,
        },
        hasFailed: status === 'failed',
      }
    })
  }

  /** Executes a run, and returns why it stopped. */
  async #walk(
    { run, steps, waits, unstored }: StartedRun,
    startedStep: string | undefined,
  ): Promise<StopReason['kind']> {
    const deps = this.#deps
    const recorder = new RunRecorder(deps, run, {
      position: startedStep === undefined ? Math.max(0, ...steps.map((it) => it.position)) : 1,
      startedPath: startedStep,
      unstored,
      onReady: (it) => void this.resume([it]),
    })
    const trigger = await this.#programs.find(accountQuery(deps.connection.read, run.account_id), run.version_id)
    if (!trigger) throw new RunLostError()
    const problem = run.key_id === null ? undefined : await deps.findKeyProblem?.(run, trigger)
    if (problem !== undefined) {
      await this.#refuse(recorder, { run, steps }, startedStep, problem)
      return 'failed'
    }
    const since = deps.wall()
    const active = (): Micros => run.active + Math.round((deps.wall() - since) * 1000)
    // One controller for both reasons, because dependent signals cost more than a short run does.
    const abort = new AbortController()
    let isOverdue = false
    const onOverdue = (): void => {
      isOverdue = true
      abort.abort()
    }
    const timer = realTime.setTimeout(onOverdue, Math.max(0, (maxActiveTime - run.active) / 1000))
    this.#abortControllers.set(run.id, abort)
    if (this.#isStopping) abort.abort()
    const onAnswer = (answer: RunAnswer): void => this.#waiters.notify(run.id, { answer, isOver: false })
    const walker = new Walker({
      deps: {
        ...deps,
        machine: run.key_id === null ? this.#machine : this.#whileKeyActs(run, this.#machine),
        isUnavailable: (error) => error instanceof StoreError || (run.testing === 0 && isStoppedFailure(error)),
      },
      run,
      recorder,
      secrets: this.#programs.secretsOf(trigger),
      steps,
      waits,
      signal: abort.signal,
      closing: this.#closing.signal,
      withoutSlot: (work) => this.#slots.withoutSlot(run.account_id, work),
      waitUntil: async (time) => (deps.sleep ?? sleep)((time - (await deps.now())) / 1000, abort.signal),
      onAnswer,
    })
    try {
      const halt = await walker.walk(trigger)
      const isOverLimit = halt.kind === 'broken' && isOverdue
      if (isOverLimit && halt.step) await recorder.end({ ...halt.step, ...overdueStep })
      const stop: StopReason = isOverLimit
        ? { kind: 'failed', error: overdueError, classification: 'wiring_error' }
        : halt
      await this.#end(recorder, run, stop, walker.answer, active())
      return stop.kind
    } finally {
      realTime.clearTimeout(timer)
      this.#abortControllers.delete(run.id)
    }
  }

  /** Ends a run whose key may not execute it as failed, at the step that would continue. */
  async #refuse(
    recorder: RunRecorder,
    { run, steps }: Pick<StartedRun, 'run' | 'steps'>,
    startedStep: string | undefined,
    error: string,
  ): Promise<void> {
    const refusal = { status: 'FAILED', error, classification: 'wiring_error' } as const
    const current = steps.findLast((it) => it.status !== 'SUCCEEDED' && it.status !== 'FAILED')
    if (current) await recorder.end({ ...current, ...refusal })
    else if (startedStep !== undefined)
      await recorder.end({ ...overdueStep, ...refusal, path: startedStep, failures: 1 })
    const name = current?.name ?? startedStep
    const halt = { kind: 'failed', classification: refusal.classification } as const
    await this.#end(
      recorder,
      run,
      { ...halt, error: name === undefined ? error : `${name}: ${error}` },
      run.answer,
      run.active,
    )
  }

  async #end(
    recorder: RunRecorder,
    run: RunRow,
    halt: StopReason,
    answer: string | null,
    active: Micros,
  ): Promise<void> {
    if (halt.kind === 'broken') return recorder.release(active)
    if (halt.kind === 'waiting') return recorder.park({ until: halt.until, active, answer })
    if (halt.kind === 'paused') {
      await recorder.park({
        until: halt.until,
        active,
        answer,
        wait: { id: (halt.call === undefined ? waitId : callWaitId)(run, halt.path), path: halt.path, call: halt.call },
      })
      if (answer !== null) this.#waiters.notify(run.id, { answer: parseJson(answer), isOver: false })
      return
    }
    const error = halt.kind === 'failed' ? halt.error : null
    await recorder.finish({ status: error === null ? 'SUCCEEDED' : 'FAILED', error, answer, active })
    this.#deps.ended?.(error === null ? 'succeeded' : 'failed')
    this.#waiters.notify(run.id, { answer: answer === null ? undefined : parseJson(answer), isOver: true })
  }

  /** Starts the heartbeat. Without it, other processes may claim the runs. */
  #startHeartbeat(): void {
    const { connection, owner, wall, log } = this.#deps
    this.#heartbeat ??= realTime.setInterval(() => {
      const until = wall() + leaseMs
      const held = [
        ...[...this.#running].map(([id, { account_id }]) => ({ id, account_id })),
        ...[...this.#resuming].map(([id, account_id]) => ({ id, account_id })),
      ]
      writeRows(connection, held, async (query, runs) => {
        const ids = runs.map((it) => it.id)
        await renewLeasesOf(query, runJobKind, ids, { owner, until })
      }).catch((error: Error) => log(error.message))
    }, heartbeatMs)
  }

  #stopHeartbeat(): void {
    realTime.clearInterval(this.#heartbeat)
    this.#heartbeat = undefined
  }
}

/**
 * Returns whether a step was refused because its account was stopped after the step had started. It is repeated once the
 * account is resumed.
 */
const isStoppedFailure = (error: unknown): boolean => error instanceof Failure && error.kind === 'user.stopped'

/** Returns a machine that records each attempt of a step in the trace of its run. Operators search traces by these attribute names. */
function tracedMachine(machine: RunnerDeps['machine'], measure: MeasureWork): RunnerDeps['machine'] {
  return {
    ...machine,
    getRunner(node) {
      const execute = machine.getRunner(node)
      const { pieceName, actionName } = nodeSettings(node)
      const name = node.type === 'PIECE' ? `${String(pieceName)} ${String(actionName)}` : String(node.type)
      return (context, step) =>
        measure(
          'internal',
          () => execute(context, step),
          (ended) => ({
            name,
            attributes: {
              'parley.account.id': context.account,
              'parley.run.id': context.run,
              'parley.step.name': context.step,
              'parley.step.attempt': context.attempt,
              'parley.step.outcome': 'result' in ended ? ended.result.kind : 'failed',
              'error.type':
                'error' in ended && ended.error instanceof StepFailure ? ended.error.classification : undefined,
            },
            hasFailed: 'error' in ended,
          }),
        )
    },
  }
}

/** Waits for real time, or until the signal is aborted. */
const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = realTime.setTimeout(resolve, Math.max(0, ms))
    signal.addEventListener('abort', () => {
      realTime.clearTimeout(timer)
      resolve()
    })
  })

async function withTimeout(work: Promise<unknown> | undefined, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    if (Number.isFinite(ms)) timer = realTime.setTimeout(resolve, ms)
  })
  await Promise.race([work, timeout])
  realTime.clearTimeout(timer)
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
