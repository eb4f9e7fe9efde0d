import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { sandboxFiles } from './files.ts'
import { type Evaluated, type RunOptions, type Sandbox, SandboxFailure } from './sandbox.ts'

export interface PoolLimits {
  /** Threads at most. */
  readonly threads: number
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
  memory: 64 * 1024 * 1024,
  timeout: 5000,
  grace: 500,
  largest: 4 * 1024 * 1024,
})
const longest = 30_000
const stack = 256 * 1024

interface Job {
  readonly message: Record<string, unknown> & { readonly timeout: number }
  readonly signal: AbortSignal | undefined
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
}

/** A sandbox of a few threads, started at first use. They do not keep the process alive. */
export function createSandbox(given: Partial<PoolLimits> = {}): Sandbox {
  const limits = { ...defaults(), ...given }
  const waiting: Job[] = []
  const threads = new Set<Thread>()
  let closed = false

  const next = (): void => {
    while (waiting.length > 0) {
      const free = [...threads].find((it) => it.isFree) ?? (threads.size < limits.threads ? begin() : undefined)
      if (!free) return
      const job = waiting.shift() as Job
      if (job.signal?.aborted) job.reject(job.signal.reason)
      else free.take(job)
    }
  }
  const begin = (): Thread => {
    const thread = new Thread(limits, {
      free: next,
      gone: () => {
        threads.delete(thread)
        next()
      },
    })
    threads.add(thread)
    return thread
  }

  const ask = async (kind: string, message: Record<string, unknown>, { now, timeout = limits.timeout, signal }: RunOptions = {}): Promise<unknown> => {
    if (closed) throw new SandboxFailure('lost', 'The sandbox is closed.')
    signal?.throwIfAborted()
    return new Promise((resolve, reject) => {
      const job = { kind, source: '', sources: [], inputs: '', now: now ?? null, timeout: Math.min(timeout, longest), ...message }
      waiting.push({ message: job, signal, resolve, reject })
      next()
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
      for (const job of waiting.splice(0)) job.reject(lost)
      await Promise.all([...threads].map((it) => it.end(lost)))
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
    worker.on('message', (answer: Answer) => (answer.ready ? this.post() : this.settle(answer)))
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
