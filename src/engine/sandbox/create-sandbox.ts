import { availableParallelism } from 'node:os'
import { FairQueue } from '../../node/fair-queue.ts'
import { parseJson, stringifyJson, stringifyMarked } from '../../node/json.ts'
import { realTime } from '../../node/real-time.ts'
import { type Evaluated, type RunOptions, type Sandbox, SandboxFailure } from '../expressions/sandbox.ts'
import { type Job, type SandboxLimits, SandboxThread, type ThreadEvents } from './sandbox-thread.ts'

/** Milliseconds after which an unused thread ends. */
const keepMs = 5000

/**
 * Threads without a job that closed sandboxes left. Starting a thread takes 50 ms of CPU time, and a process may open
 * many platforms, each with its sandbox, as tests do.
 */
const idle = new Map<SandboxThread, NodeJS.Timeout>()

/** Keeps a free thread of a closed sandbox for the next sandbox. Ends the oldest one if there are too many. */
async function keepThread(thread: SandboxThread): Promise<void> {
  const forget = (): void => {
    realTime.clearTimeout(idle.get(thread))
    idle.delete(thread)
  }
  idle.set(thread, realTime.setTimeout(() => thread.end(undefined), keepMs).unref())
  thread.handOver(thread.limits, { ended() {}, free() {}, gone: forget })
  const [oldest] = idle.keys()
  if (idle.size > availableParallelism()) await oldest?.end(undefined)
}

/** Returns an idle thread that was started with these limits, or undefined. */
export function takeThread(limits: SandboxLimits, on: ThreadEvents): SandboxThread | undefined {
  for (const [thread, timer] of idle) {
    if (thread.startLimits !== SandboxThread.startLimits(limits)) continue
    realTime.clearTimeout(timer)
    idle.delete(thread)
    thread.handOver(limits, on)
    return thread
  }
  return undefined
}

const defaults = (): SandboxLimits => ({
  threads: availableParallelism(),
  spareThreads: 4,
  spareKeepMs: 5000,
  waitingThreads: 4,
  memory: 64 * 1024 * 1024,
  timeout: 5000,
  grace: 500,
  maxJsonLength: 4 * 1024 * 1024,
})
const maxTimeoutMs = 30_000
/** Milliseconds for which all threads are busy before a spare one is started, so that the next account need not wait for it. */
const prepareAfterMs = 250

/** Matches code that may wait for timers or requests. It runs in threads of its kind and has more time. */
const waitPattern = /\b(?:setTimeout|setInterval|setImmediate|fetch|AbortSignal)\b/

/** Number of jobs so far in this process: a thread may serve several sandboxes in turn. */
let jobs = 0

/** Threads of one kind, and the jobs that wait for them. */
interface ThreadGroup {
  readonly limit: number
  readonly waiting: FairQueue<Job>
  readonly threads: Set<SandboxThread>
  /** Set while all threads are busy and none is started in advance. */
  preparing: NodeJS.Timeout | undefined
}

/**
 * Creates a sandbox with as many threads as the machine has cores. They start at first use and do not keep the process
 * alive. Accounts take turns. While all threads are busy, an account without running code gets a spare one, so that
 * code of others that never ends does not delay it. One spare thread is started in advance.
 */
export function createSandbox(given: Partial<SandboxLimits> = {}): Sandbox {
  const limits = { ...defaults(), ...given }
  const group = (limit: number): ThreadGroup => ({
    limit,
    waiting: new FairQueue(),
    threads: new Set(),
    preparing: undefined,
  })
  const [computingGroup, waitingGroup] = [group(limits.threads), group(limits.waitingThreads)]
  let closed = false

  const next = (group: ThreadGroup): void => {
    const { limit, waiting, threads } = group
    for (;;) {
      const busy = [...threads].filter((it) => !it.isFree).length
      if (busy >= limit + limits.spareThreads) return
      const job = waiting.take(busy < limit ? undefined : (running) => running === 0)
      if (!job) return
      const thread = [...threads].find((it) => it.isFree) ?? startThread(group)
      if (job.signal?.aborted) {
        job.reject(job.signal.reason)
        waiting.end(job.account, 0)
      } else thread.assign(job)
      prepareSpare(group)
    }
  }
  const freeThreads = ({ threads }: ThreadGroup): SandboxThread[] => [...threads].filter((it) => it.isFree)
  const prepareSpare = (group: ThreadGroup): void => {
    const isSaturated = (): boolean =>
      !closed && freeThreads(group).length === 0 && group.threads.size < group.limit + limits.spareThreads
    if (group.preparing || group.threads.size < group.limit || !isSaturated()) return
    group.preparing = realTime.setTimeout(() => {
      group.preparing = undefined
      if (isSaturated()) startThread(group).prepare()
    }, prepareAfterMs)
    group.preparing.unref()
  }
  /** Ends a spare thread that is not needed any more. */
  const retire = (group: ThreadGroup, thread: SandboxThread): void => {
    const isSpare = (): boolean => thread.isFree && group.threads.size > group.limit && freeThreads(group).length > 1
    if (isSpare()) realTime.setTimeout(() => isSpare() && void thread.end(undefined), limits.spareKeepMs).unref()
  }
  const startThread = (group: ThreadGroup): SandboxThread => {
    const events = {
      ended: (job: Job, usedMs: number) => group.waiting.end(job.account, usedMs),
      free: () => {
        next(group)
        retire(group, thread)
      },
      gone: () => {
        group.threads.delete(thread)
        next(group)
      },
    }
    const thread = takeThread(limits, events) ?? new SandboxThread(limits, events)
    group.threads.add(thread)
    return thread
  }

  const submit = async (
    kind: string,
    message: { readonly source?: string; [name: string]: unknown },
    options: RunOptions = {},
  ): Promise<unknown> => {
    const mayWait = message.source !== undefined && waitPattern.test(message.source)
    const { now, timeout = mayWait ? maxTimeoutMs : limits.timeout, signal, fetch, account = 0 } = options
    if (closed) throw new SandboxFailure('lost', 'The sandbox is closed.')
    signal?.throwIfAborted()
    return new Promise((resolve, reject) => {
      const id = ++jobs
      const job = {
        id,
        kind,
        source: '',
        sources: [],
        inputs: '',
        mark: '',
        now: now ?? null,
        timeout: Math.min(timeout, maxTimeoutMs),
        ...message,
      }
      const group = mayWait ? waitingGroup : computingGroup
      group.waiting.add(account, { account, message: job, signal, fetch, resolve, reject })
      next(group)
    })
  }
  /** Returns the values for a job as JSON; with a mark if it has large integers, which are `bigint` in code. */
  const serialize = (value: unknown, what: string): { readonly inputs: string; readonly mark?: string } => {
    const text = stringifyJson(value) ?? 'null'
    if (text.length > limits.maxJsonLength)
      throw new SandboxFailure('size', `${what} larger than ${limits.maxJsonLength / 1024 / 1024} MB.`)
    if (!/\d{16}/.test(text)) return { inputs: text }
    const marked = stringifyMarked(value)
    return { inputs: marked.text ?? 'null', mark: marked.mark }
  }

  return {
    async run(source, inputs, options) {
      const result = (await submit('run', { source, ...serialize(inputs, 'The input is') }, options)) as {
        output: string | null
        lines: string[]
      }
      return { output: result.output === null ? null : parseJson(result.output), lines: result.lines }
    },
    async evaluate(expressions, variables, options) {
      if (expressions.length === 0) return []
      const sources = expressions.map((source) => ({ kind: 'expression', source }))
      const texts = (await submit('evaluate', { sources, ...serialize(variables, 'The variables are') }, options)) as (
        | string
        | null
      )[]
      return texts.map((text): Evaluated => (text === null || text === 'null' ? undefined : { value: parseJson(text) }))
    },
    check: async (sources) => (sources.length === 0 ? [] : ((await submit('check', { sources })) as (string | null)[])),
    async close() {
      closed = true
      for (const group of [computingGroup, waitingGroup]) realTime.clearTimeout(group.preparing)
      const lost = new SandboxFailure('lost', 'The sandbox is closed.')
      const groups = [computingGroup, waitingGroup]
      for (const job of groups.flatMap((it) => it.waiting.clear())) job.reject(lost)
      const threads = groups.flatMap((it) => [...it.threads])
      await Promise.all(threads.map((it) => (it.isFree ? keepThread(it) : it.end(lost))))
    },
  }
}
