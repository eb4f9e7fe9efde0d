import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type Evaluated, type RunOptions, type Sandbox, SandboxFailure } from '../../flow/expressions/sandbox.ts'
import { FairQueue } from './fair-queue.ts'
import type { FetchCall } from './perform-fetch.ts'
import { sandboxFiles } from './sandbox-files.ts'

export interface SandboxLimits {
  /** Maximum number of threads for expressions and code that only computes. */
  readonly threads: number
  /** Further threads of each kind, for accounts none of whose code runs while all other threads are busy. */
  readonly spareThreads: number
  /** Maximum number of threads for code that waits for timers or requests, so that it does not block other code. */
  readonly waitingThreads: number
  /** Memory limit of a virtual machine in bytes. */
  readonly memory: number
  /** Default time limit of code in milliseconds. */
  readonly timeout: number
  /** Milliseconds after the time limit when a thread that does not stop is terminated. */
  readonly grace: number
  /** Maximum length of JSON input and output in characters. */
  readonly maxJsonLength: number
}

const defaults = (): SandboxLimits => ({
  threads: availableParallelism(),
  spareThreads: 4,
  waitingThreads: 4,
  memory: 64 * 1024 * 1024,
  timeout: 5000,
  grace: 500,
  maxJsonLength: 4 * 1024 * 1024,
})
const maxTimeoutMs = 30_000
const stackBytes = 256 * 1024

interface Job {
  readonly account: number
  readonly message: Record<string, unknown> & { readonly id: number; readonly timeout: number }
  readonly signal: AbortSignal | undefined
  readonly fetch: RunOptions['fetch']
  resolve(result: unknown): void
  reject(error: unknown): void
}

interface Answer {
  readonly ready?: true
  readonly ok?: boolean
  readonly result?: unknown
  readonly reason?: SandboxFailure['reason']
  readonly message?: string
  readonly lines?: readonly string[]
  /** Set if the code makes a request. */
  readonly fetch?: FetchCall
}

/** Matches code that may wait for timers or requests. */
const waitPattern = /\b(?:setTimeout|setInterval|setImmediate|fetch|AbortSignal)\b/

/** Threads of one kind, and the jobs that wait for them. */
interface ThreadGroup {
  readonly limit: number
  readonly waiting: FairQueue<Job>
  readonly threads: Set<Thread>
}

/**
 * Creates a sandbox with as many threads as the machine has cores. They start at first use and do not keep the process
 * alive. Accounts take turns. While all threads are busy, an account without running code gets a spare one, so that
 * code of others that never ends does not delay it.
 */
export function createSandbox(given: Partial<SandboxLimits> = {}): Sandbox {
  const limits = { ...defaults(), ...given }
  const group = (limit: number): ThreadGroup => ({ limit, waiting: new FairQueue(), threads: new Set() })
  const [computingGroup, waitingGroup] = [group(limits.threads), group(limits.waitingThreads)]
  let closed = false
  let jobs = 0

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
    }
  }
  const startThread = (group: ThreadGroup): Thread => {
    const thread = new Thread(limits, {
      ended: (job, usedMs) => group.waiting.end(job.account, usedMs),
      free: () => {
        next(group)
        // A spare thread that is not needed any more.
        if (thread.isFree && group.threads.size > group.limit) void thread.end(undefined)
      },
      gone: () => {
        group.threads.delete(thread)
        next(group)
      },
    })
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
        now: now ?? null,
        timeout: Math.min(timeout, maxTimeoutMs),
        ...message,
      }
      const group = mayWait ? waitingGroup : computingGroup
      group.waiting.add(account, { account, message: job, signal, fetch, resolve, reject })
      next(group)
    })
  }
  const serialize = (value: unknown, what: string): string => {
    const text = JSON.stringify(value) ?? 'null'
    if (text.length > limits.maxJsonLength)
      throw new SandboxFailure('size', `${what} larger than ${limits.maxJsonLength / 1024 / 1024} MB.`)
    return text
  }

  return {
    async run(source, inputs, options) {
      const result = (await submit('run', { source, inputs: serialize(inputs, 'The input is') }, options)) as {
        output: string | null
        lines: string[]
      }
      return { output: result.output === null ? null : JSON.parse(result.output), lines: result.lines }
    },
    async evaluate(expressions, variables, options) {
      if (expressions.length === 0) return []
      const sources = expressions.map((source) => ({ kind: 'expression', source }))
      const texts = (await submit(
        'evaluate',
        { sources, inputs: serialize(variables, 'The variables are') },
        options,
      )) as (string | null)[]
      return texts.map(
        (text): Evaluated => (text === null || text === 'null' ? undefined : { value: JSON.parse(text) }),
      )
    },
    check: async (sources) => (sources.length === 0 ? [] : ((await submit('check', { sources })) as (string | null)[])),
    async close() {
      closed = true
      const lost = new SandboxFailure('lost', 'The sandbox is closed.')
      const groups = [computingGroup, waitingGroup]
      for (const job of groups.flatMap((it) => it.waiting.clear())) job.reject(lost)
      await Promise.all(groups.flatMap((it) => [...it.threads]).map((it) => it.end(lost)))
    },
  }
}

/** Shared by all threads of the process, so that the module is compiled only once. */
let compiled: Promise<WebAssembly.Module> | undefined

interface ThreadEvents {
  ended(job: Job, usedMs: number): void
  free(): void
  gone(): void
}

/** Thread and its current job. */
class Thread {
  private worker: Worker | undefined
  private job: Job | undefined
  private startedAt = 0
  private timer: NodeJS.Timeout | undefined
  private ended = false
  private readonly limits: SandboxLimits
  private readonly on: ThreadEvents
  private readonly abort = (): void => void this.end(this.job?.signal?.reason)

  constructor(limits: SandboxLimits, on: ThreadEvents) {
    this.limits = limits
    this.on = on
  }

  get isFree(): boolean {
    return this.job === undefined && !this.ended
  }

  assign(job: Job): void {
    this.job = job
    this.startedAt = performance.now()
    job.signal?.addEventListener('abort', this.abort)
    if (this.worker) this.post()
    else this.start().catch((error: unknown) => this.end(error))
  }

  private async start(): Promise<void> {
    const files = sandboxFiles()
    compiled ??= readFile(files.wasm).then((bytes) => WebAssembly.compile(bytes))
    const wasm = await compiled
    if (this.ended) return
    const worker = new Worker(files.worker, {
      // Isolated from the process: no environment, no arguments, no streams.
      env: {},
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      workerData: {
        wasm,
        parts: files.parts,
        memory: this.limits.memory,
        stack: stackBytes,
        largest: this.limits.maxJsonLength,
      },
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 },
    })
    this.worker = worker
    worker.on('message', (answer: Answer) =>
      answer.ready ? this.post() : answer.fetch ? void this.request(answer.fetch) : this.settle(answer),
    )
    worker.on('error', (error) => this.end(new SandboxFailure('lost', `The sandbox crashed: ${error.message}`)))
    worker.on('exit', () => this.end(new SandboxFailure('lost', 'The sandbox crashed.')))
    worker.ref()
  }

  private post(): void {
    if (!this.job) return
    const { timeout } = this.job.message
    this.worker?.ref()
    this.timer = setTimeout(
      () => this.end(new SandboxFailure('time', `The code ran for more than ${timeout / 1000} seconds.`)),
      timeout + this.limits.grace,
    )
    this.worker?.postMessage(this.job.message)
  }

  /** Performs a request of the code and sends the response to the thread. */
  private async request(call: FetchCall): Promise<void> {
    const { worker, job } = this
    if (!job) return
    const { performFetch } = await import('./perform-fetch.ts')
    const text = await performFetch(call, job.fetch, this.limits.maxJsonLength)
    if (this.job === job) worker?.postMessage({ reply: { job: job.message.id, id: call.id, text } })
  }

  private settle(answer: Answer): void {
    const job = this.release()
    this.worker?.unref()
    if (answer.ok) job?.resolve(answer.result)
    else
      job?.reject(new SandboxFailure(answer.reason ?? 'lost', answer.message ?? 'The sandbox crashed.', answer.lines))
    this.on.free()
  }

  private release(): Job | undefined {
    const { job } = this
    clearTimeout(this.timer)
    job?.signal?.removeEventListener('abort', this.abort)
    this.job = undefined
    if (job) this.on.ended(job, performance.now() - this.startedAt)
    return job
  }

  /** Terminates the thread, even during a job. */
  async end(reason: unknown): Promise<void> {
    if (this.ended) return
    this.ended = true
    this.release()?.reject(reason)
    this.on.gone()
    await this.worker?.terminate()
  }
}
