import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { FetchCall } from './fetch-calls.ts'
import { sandboxFiles } from './files.ts'
import { type Evaluated, type RunOptions, type Sandbox, SandboxFailure } from './sandbox.ts'

export interface PoolLimits {
  /** Threads at most for expressions and code that only computes. */
  readonly threads: number
  /** Threads at most for code that waits for timers or requests, so that the others do not wait for it. */
  readonly waitingThreads: number
  /** Bytes a machine may use. */
  readonly memory: number
  /** Milliseconds code may take when nothing else is asked. */
  readonly timeout: number
  /** Milliseconds after its time when a thread that does not stop by itself is ended. */
  readonly grace: number
  /** Characters of JSON that go in or out. */
  readonly largest: number
}

const defaults = (): PoolLimits => ({
  threads: Math.max(1, Math.min(2, availableParallelism())),
  waitingThreads: 4,
  memory: 64 * 1024 * 1024,
  timeout: 5000,
  grace: 500,
  largest: 4 * 1024 * 1024,
})
const longest = 30_000
const stack = 256 * 1024

interface Job {
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
  /** The code asks for a request to be made. */
  readonly fetch?: FetchCall
}

/** Code that mentions one of these may wait for something outside. */
const waits = /\b(?:setTimeout|setInterval|setImmediate|fetch|AbortSignal)\b/

/** Threads of one kind, and what waits for them. */
interface Lane {
  readonly limit: number
  readonly waiting: Job[]
  readonly threads: Set<Thread>
}

/** A sandbox of a few threads, started at first use. They do not keep the process alive. */
export function createSandbox(given: Partial<PoolLimits> = {}): Sandbox {
  const limits = { ...defaults(), ...given }
  const lane = (limit: number): Lane => ({ limit, waiting: [], threads: new Set() })
  const [computing, patient] = [lane(limits.threads), lane(limits.waitingThreads)]
  let closed = false
  let jobs = 0

  const next = (lane: Lane): void => {
    const { limit, waiting, threads } = lane
    while (waiting.length > 0) {
      const free = [...threads].find((it) => it.isFree) ?? (threads.size < limit ? begin(lane) : undefined)
      if (!free) return
      const job = waiting.shift() as Job
      if (job.signal?.aborted) job.reject(job.signal.reason)
      else free.take(job)
    }
  }
  const begin = (lane: Lane): Thread => {
    const thread = new Thread(limits, {
      free: () => next(lane),
      gone: () => {
        lane.threads.delete(thread)
        next(lane)
      },
    })
    lane.threads.add(thread)
    return thread
  }

  const ask = async (kind: string, message: { readonly source?: string; [name: string]: unknown }, options: RunOptions = {}): Promise<unknown> => {
    const mayWait = message.source !== undefined && waits.test(message.source)
    const { now, timeout = mayWait ? longest : limits.timeout, signal, fetch } = options
    if (closed) throw new SandboxFailure('lost', 'The sandbox is closed.')
    signal?.throwIfAborted()
    return new Promise((resolve, reject) => {
      const id = ++jobs
      const job = { id, kind, source: '', sources: [], inputs: '', now: now ?? null, timeout: Math.min(timeout, longest), ...message }
      const lane = mayWait ? patient : computing
      lane.waiting.push({ message: job, signal, fetch, resolve, reject })
      next(lane)
    })
  }
  const written = (value: unknown, what: string): string => {
    const text = JSON.stringify(value) ?? 'null'
    if (text.length > limits.largest) throw new SandboxFailure('size', `${what} more than ${limits.largest / 1024 / 1024} MB.`)
    return text
  }

  return {
    async run(source, inputs, options) {
      const result = (await ask('run', { source, inputs: written(inputs, 'The input takes') }, options)) as { output: string | null; lines: string[] }
      return { output: result.output === null ? null : JSON.parse(result.output), lines: result.lines }
    },
    async evaluate(expressions, variables, options) {
      if (expressions.length === 0) return []
      const sources = expressions.map((source) => ({ kind: 'expression', source }))
      const texts = (await ask('evaluate', { sources, inputs: written(variables, 'The variables take') }, options)) as (string | null)[]
      return texts.map((text): Evaluated => (text === null || text === 'null' ? undefined : { value: JSON.parse(text) }))
    },
    check: async (sources) => (sources.length === 0 ? [] : ((await ask('check', { sources })) as (string | null)[])),
    async close() {
      closed = true
      const lost = new SandboxFailure('lost', 'The sandbox is closed.')
      const lanes = [computing, patient]
      for (const job of lanes.flatMap((it) => it.waiting.splice(0))) job.reject(lost)
      await Promise.all(lanes.flatMap((it) => [...it.threads]).map((it) => it.end(lost)))
    },
  }
}

/** One compilation serves all threads of the process. */
let compiled: Promise<WebAssembly.Module> | undefined

/** A thread and the job it is at. */
class Thread {
  private worker: Worker | undefined
  private job: Job | undefined
  private timer: NodeJS.Timeout | undefined
  private ended = false
  private readonly limits: PoolLimits
  private readonly on: { free(): void; gone(): void }
  private readonly abort = (): void => void this.end(this.job?.signal?.reason)

  constructor(limits: PoolLimits, on: { free(): void; gone(): void }) {
    this.limits = limits
    this.on = on
  }

  get isFree(): boolean {
    return this.job === undefined && !this.ended
  }

  take(job: Job): void {
    this.job = job
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
      // Nothing of the process is handed on: no environment, no arguments, no streams.
      env: {},
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      workerData: { wasm, parts: files.parts, memory: this.limits.memory, stack, largest: this.limits.largest },
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 },
    })
    this.worker = worker
    worker.on('message', (answer: Answer) => (answer.ready ? this.post() : answer.fetch ? void this.request(answer.fetch) : this.settle(answer)))
    worker.on('error', (error) => this.end(new SandboxFailure('lost', `The sandbox broke down: ${error.message}`)))
    worker.on('exit', () => this.end(new SandboxFailure('lost', 'The sandbox broke down.')))
    worker.ref()
  }

  private post(): void {
    if (!this.job) return
    const { timeout } = this.job.message
    this.worker?.ref()
    this.timer = setTimeout(() => this.end(new SandboxFailure('time', `The code ran for more than ${timeout / 1000} seconds.`)), timeout + this.limits.grace)
    this.worker?.postMessage(this.job.message)
  }

  /** Makes a request of the code, and hands it the answer. */
  private async request(call: FetchCall): Promise<void> {
    const { worker, job } = this
    if (!job) return
    const { carry } = await import('./fetch-calls.ts')
    const text = await carry(call, job.fetch, this.limits.largest)
    if (this.job === job) worker?.postMessage({ reply: { job: job.message.id, id: call.id, text } })
  }

  private settle(answer: Answer): void {
    const job = this.leave()
    this.worker?.unref()
    if (answer.ok) job?.resolve(answer.result)
    else job?.reject(new SandboxFailure(answer.reason ?? 'lost', answer.message ?? 'The sandbox broke down.', answer.lines))
    this.on.free()
  }

  private leave(): Job | undefined {
    const { job } = this
    clearTimeout(this.timer)
    job?.signal?.removeEventListener('abort', this.abort)
    this.job = undefined
    return job
  }

  /** Ends the thread, whatever it is doing. */
  async end(reason: unknown): Promise<void> {
    if (this.ended) return
    this.ended = true
    this.leave()?.reject(reason)
    this.on.gone()
    await this.worker?.terminate()
  }
}
