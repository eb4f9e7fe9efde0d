import type { AutomationNode } from '../../contract/automation-node.ts'
import type { VersionRow } from '../../store/automations.ts'
import type { Query } from '../../store/connection.ts'
import { insertDue } from '../../store/due.ts'
import { beginStep } from '../../store/run-steps.ts'
import { insertRun, moveRunDue, type RunRow, renewLeases, runWork, sweepRuns } from '../../store/runs.ts'
import { isSkipped } from '../definition/node.ts'
import type { Micros } from '../ports.ts'
import { Journal, Lost } from './journal.ts'
import { activeBudget, heartbeatMs, leaseMs, together } from './limits.ts'
import { Programs } from './programs.ts'
import type { RunnerDeps } from './runner-deps.ts'
import { type Taken, take } from './taking.ts'
import { type Standing, Waiters } from './waiters.ts'
import { type Halt, type RunAnswer, Walker, waitIdOf } from './walker.ts'

export interface Accepted {
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
  readonly begun: string | undefined
}

/**
 * Runs automations: the table of runs is the queue, and every run that has not ended has a row of due work, leased while a process runs it. When
 * that process dies, whoever finds the row goes on behind the last step that ended.
 */
export class Runner {
  readonly #deps: RunnerDeps
  readonly #programs = new Programs()
  readonly #waiters: Waiters
  /** Runs of this process, by id. */
  readonly #going = new Map<string, Promise<void>>()
  readonly #queue: (() => void)[] = []
  readonly #closing = new AbortController()
  /** What breaks off the runs that go on. */
  readonly #breaks = new Set<AbortController>()
  #isLeaving = false
  #free = together
  #heart: NodeJS.Timeout | undefined

  constructor(deps: RunnerDeps) {
    this.#deps = deps
    this.#waiters = new Waiters(deps.connection)
  }

  /** Keeps a run, taken by this process, in the caller's transaction; give it to `start` once that is committed. Undefined when it was accepted before. */
  async accept(query: Query, { automation, version, payload, testing, dedupe }: Accepted, now: Micros): Promise<AcceptedRun | undefined> {
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
    await sweepRuns(query, row)
    const first = this.#programs.of(version).nextAction
    // A step that touches nothing outside is written once, when it has ended.
    const isOuter = first && !isSkipped(first) && first.type !== 'LOOP_ON_ITEMS' && this.#deps.machine.isInner?.(first) !== true
    const begun = isOuter ? String(first.name) : undefined
    if (begun !== undefined) await beginStep(query, row, { account, path: begun, name: begun, position: 1, now })
    const { owner, wall } = this.#deps
    await insertDue(query, { account_id: account, kind: runWork, subject: row.id, due_at: now, attempts: 0, lease_owner: owner, lease_until: wall() + leaseMs })
    return { row, begun }
  }

  /** The trigger of what a version runs, with the steps on it. */
  programOf(version: Accepted['version']): AutomationNode {
    return this.#programs.of(version)
  }

  /** Begins a run that was accepted. The promise ends when the run has ended, or waits for something. */
  start({ row, begun }: AcceptedRun): Promise<void> {
    return this.#going.get(row.id) ?? this.#go({ run: row, steps: [], waits: [] }, begun, this.#turn())
  }

  /** Goes on with runs whose due work this process has leased; returns when they are taken. */
  async wake(ids: readonly string[]): Promise<void> {
    const left = ids.filter((id) => !this.#going.has(id))
    while (left.length > 0) {
      // Nothing is taken that cannot be begun at once: it would count as if this process had died over it.
      await this.#turn()
      const some = left.splice(0, 1 + this.#free)
      this.#free -= some.length - 1
      const taken = await this.#take(some).catch((error: unknown) => {
        for (const _ of some) this.#next()
        throw error
      })
      for (const it of taken) {
        if (it) void this.#go(it)
        else this.#next()
      }
    }
  }

  async #take(ids: readonly string[]): Promise<(Taken | undefined)[]> {
    const { connection, now, failed } = this.#deps
    const at = await now()
    return connection.write(async (query) => {
      const taken: (Taken | undefined)[] = []
      for (const id of ids) taken.push(await take(query, id, at, failed))
      return taken
    })
  }

  /** What a run answers, once it has or has ended without; undefined when neither comes in time. */
  standing(run: string, timeoutMs: number): Promise<Standing | undefined> {
    return this.#waiters.wait(run, timeoutMs)
  }

  /** Waits for the runs that go on now, at most for as long. */
  settle(budgetMs: number): Promise<void> {
    return atMost(Promise.all(this.#going.values()), budgetMs)
  }

  /** Waits for a run of this process to end, or to wait for something itself. */
  settled(run: string, budgetMs: number): Promise<void> {
    return atMost(this.#going.get(run), budgetMs)
  }

  /** Begins no more steps; lets those under way end, for a while, and gives the runs to whoever takes them next. */
  async close(patienceMs = 5000): Promise<void> {
    this.#closing.abort()
    const timer = setTimeout(() => this.#leave(), patienceMs)
    while (this.#going.size > 0) await this.settle(Number.POSITIVE_INFINITY)
    clearTimeout(timer)
    clearInterval(this.#heart)
    await this.#deps.machine.close?.()
  }

  #leave(): void {
    this.#isLeaving = true
    for (const it of this.#breaks) it.abort()
  }

  /** Runs what was taken, in a turn that is had already or comes with `turn`. */
  #go(taken: Taken, begun?: string, turn: Promise<void> = Promise.resolve()): Promise<void> {
    const { id } = taken.run
    const going = turn
      .then(() => this.#walk(taken, begun))
      .catch((error: Error) => {
        if (error instanceof Lost) return undefined
        this.#deps.log(`run ${id}: ${error.stack ?? error.message}`)
        return this.#stumble(id)
      })
      .finally(() => {
        this.#next()
        this.#going.delete(id)
        if (this.#going.size === 0) this.#rest()
      })
    this.#going.set(id, going)
    this.#beat()
    return going
  }

  /** Leaves a run that could not be gone on with to be taken again later; it counts as if the process had died. */
  async #stumble(id: string): Promise<void> {
    const { connection, now, log } = this.#deps
    try {
      const at = (await now()) + leaseMs * 1000
      await connection.write((query) => moveRunDue(query, id, at))
    } catch (error) {
      log(`run ${id}: ${(error as Error).message}`)
    }
  }

  async #turn(): Promise<void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#queue.push(resolve))
  }

  /** Ends a turn. */
  #next(): void {
    const next = this.#queue.shift()
    if (next) next()
    else this.#free++
  }

  async #walk({ run, steps, waits }: Taken, begun: string | undefined): Promise<void> {
    const deps = this.#deps
    const journal = new Journal(deps, run, { position: begun === undefined ? Math.max(0, ...steps.map((it) => it.position)) : 1, begun })
    const trigger = await this.#programs.find(deps.connection.read, run.version_id)
    if (!trigger) throw new Lost()
    const since = deps.wall()
    const active = (): Micros => run.active + Math.round((deps.wall() - since) * 1000)
    // One controller for both reasons: signals that follow others cost more than a short run does.
    const broken = new AbortController()
    let isOverdue = false
    const late = (): void => {
      isOverdue = true
      broken.abort()
    }
    const timer = setTimeout(late, Math.max(0, (activeBudget - run.active) / 1000))
    this.#breaks.add(broken)
    if (this.#isLeaving) broken.abort()
    const answered = (answer: RunAnswer): void => this.#waiters.tell(run.id, { answer, isOver: false })
    const walker = new Walker({
      deps,
      run,
      journal,
      secrets: this.#programs.secretsOf(trigger),
      steps,
      waits,
      signal: broken.signal,
      closing: this.#closing.signal,
      answered,
    })
    try {
      const halt = await walker.walk(trigger)
      const isLate = halt.kind === 'broken' && isOverdue
      if (isLate && halt.step) await journal.end({ ...halt.step, ...lateStep })
      await this.#end(journal, run, isLate ? { kind: 'failed', error: tooLong, classification: 'wiring_error' } : halt, walker.answer, active())
    } finally {
      clearTimeout(timer)
      this.#breaks.delete(broken)
    }
  }

  async #end(journal: Journal, run: RunRow, halt: Halt, answer: string | null, active: Micros): Promise<void> {
    if (halt.kind === 'broken') return journal.release(active)
    if (halt.kind === 'waiting') return journal.park({ until: halt.until, active, answer })
    if (halt.kind === 'paused') {
      await journal.park({ until: halt.until, active, answer, wait: { id: waitIdOf(run, halt.path), path: halt.path } })
      if (answer !== null) this.#waiters.tell(run.id, { answer: JSON.parse(answer), isOver: false })
      return
    }
    const error = halt.kind === 'failed' ? halt.error : null
    await journal.over({ status: error === null ? 'SUCCEEDED' : 'FAILED', error, answer, active })
    this.#waiters.tell(run.id, { answer: answer === null ? undefined : JSON.parse(answer), isOver: true })
  }

  /** Signs of life: without them another process may take the runs. */
  #beat(): void {
    const { connection, owner, wall, log } = this.#deps
    this.#heart ??= setInterval(() => {
      connection.write((query) => renewLeases(query, owner, wall() + leaseMs)).catch((error: Error) => log(error.message))
    }, heartbeatMs)
  }

  #rest(): void {
    clearInterval(this.#heart)
    this.#heart = undefined
  }
}

async function atMost(work: Promise<unknown> | undefined, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    if (Number.isFinite(ms)) timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}

const tooLong = `The run was worked on for longer than ${activeBudget / 1_000_000} seconds.`
const lateStep = {
  status: 'FAILED',
  input: null,
  output: null,
  shown: null,
  error: tooLong,
  classification: 'wiring_error',
  unresolved: null,
  log: null,
} as const
