import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { bundleThread, findBundleFile, readBundleFile, type ThreadStart } from '../../node/bundle-file.ts'
import { isError } from '../../node/is-error.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { realTime } from '../../node/real-time.ts'
import { type RunOptions, SandboxFailure } from '../expressions/sandbox.ts'

/**
 * Request from the thread of the code: `request` is JSON with the body in base64. host-events.mjs makes it, and
 * reads the text of `performFetch`.
 */
interface FetchCall {
  readonly id: number
  readonly request: string
}

/** Performs a request of code. Returns the response as JSON with its body in base64, or `error`. Never throws. */
async function performFetch({ request }: FetchCall, fetch: RunOptions['fetch'], maxLength: number): Promise<string> {
  try {
    if (!fetch) throw new Error('Requests cannot be sent in this sandbox.')
    const { method, url, headers, body } = parseJson(request) as {
      method: string
      url: string
      headers: Record<string, string>
      body: string
    }
    if (!/^https?:/i.test(url)) throw new Error(`${url} is not an http or https address.`)
    const reply = await fetch({ method, url, headers, body: Buffer.from(body, 'base64') })
    if (reply.body.length > maxLength) throw new Error(`The response is larger than ${maxLength / 1024 / 1024} MB.`)
    return stringifyJson({
      url: reply.url ?? url,
      status: reply.status,
      headers: reply.headers,
      body: Buffer.from(reply.body).toString('base64'),
    })
  } catch (error) {
    return stringifyJson({ error: isError(error) ? error.message : String(error) })
  }
}

interface SandboxFiles {
  readonly thread: ThreadStart
  /** WebAssembly module: its file, or the content of one of the executable. */
  readonly wasm: string | Uint8Array
  /** WebAssembly parts that are loaded when code mentions them. */
  readonly parts: Readonly<Record<'encoding' | 'url' | 'crypto', string | Uint8Array>>
}

/** Returns the locations of the sandbox files: next to the sources and in their packages, or next to the bundle. */
function sandboxFiles(): SandboxFiles {
  const here = import.meta.url
  const asset = (name: string): string | Uint8Array =>
    findBundleFile(here, `${name}.br`) ?? createRequire(here).resolve(`quickjs-wasi/${name}`)
  return {
    thread: bundleThread(here, 'sandbox.js', './worker.mjs'),
    wasm: asset('quickjs.wasm'),
    parts: { encoding: asset('encoding.so'), url: asset('url.so'), crypto: asset('crypto.so') },
  }
}

/** Limits of a sandbox and its threads. */
export interface SandboxLimits {
  /** Maximum number of threads for expressions and code that only computes. */
  readonly threads: number
  /** Further threads of each kind, for accounts none of whose code runs while all other threads are busy. */
  readonly spareThreads: number
  /** Milliseconds after which an unused spare thread ends. */
  readonly spareKeepMs: number
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

const stackBytes = 256 * 1024

/** Work for a thread, and whom to tell of its end. */
export interface Job {
  readonly account: number
  readonly message: Record<string, unknown> & { readonly id: number; readonly timeout: number }
  readonly signal: AbortSignal | undefined
  readonly fetch: RunOptions['fetch']
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** What worker.mjs sends for a job. The thread and this file are always of the same version. */
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

/** Shared by all threads of the process, so that the module is compiled only once. */
let compiled: Promise<WebAssembly.Module> | undefined

const compile = async (file: string | Uint8Array): Promise<WebAssembly.Module> =>
  WebAssembly.compile((await readBundleFile(file)) as Uint8Array<ArrayBuffer>)

/** What a thread reports: a job has ended, it can take another one, it does not exist any more. */
export interface ThreadEvents {
  ended(job: Job, usedMs: number): void
  free(): void
  gone(): void
}

/** Thread of a sandbox, and its current job. */
export class SandboxThread {
  private worker: Worker | undefined
  private job: Job | undefined
  private startedAt = 0
  private timer: NodeJS.Timeout | undefined
  private ended = false
  private state: 'new' | 'starting' | 'ready' = 'new'
  limits: SandboxLimits
  private on: ThreadEvents
  private readonly abort = (): void => void this.end(this.job?.signal?.reason)

  constructor(limits: SandboxLimits, on: ThreadEvents) {
    this.limits = limits
    this.on = on
  }

  /** Limits that a thread cannot change after its start. */
  static startLimits({ memory, maxJsonLength }: SandboxLimits): string {
    return `${memory} ${maxJsonLength}`
  }

  /** Value of `startLimits` for this thread. */
  get startLimits(): string {
    return SandboxThread.startLimits(this.limits)
  }

  /** Moves a free thread to another owner. */
  handOver(limits: SandboxLimits, on: ThreadEvents): void {
    this.limits = limits
    this.on = on
  }

  get isFree(): boolean {
    return this.job === undefined && !this.ended
  }

  assign(job: Job): void {
    this.job = job
    this.startedAt = realTime.monotonicMs()
    job.signal?.addEventListener('abort', this.abort)
    this.worker?.ref()
    if (this.state === 'ready') this.post()
    else this.prepare()
  }

  /** Starts the thread before it has a job. */
  prepare(): void {
    if (this.state === 'new') this.start().catch((error: unknown) => this.end(error))
  }

  private async start(): Promise<void> {
    this.state = 'starting'
    const files = sandboxFiles()
    compiled ??= compile(files.wasm)
    const wasm = await compiled
    if (this.ended) return
    const worker = new Worker(files.thread.file, {
      eval: files.thread.eval,
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
      answer.ready ? this.begin() : answer.fetch ? void this.request(answer.fetch) : this.settle(answer),
    )
    worker.on('error', (error) => this.end(new SandboxFailure('lost', `The sandbox crashed: ${error.message}`)))
    worker.on('exit', () => this.end(new SandboxFailure('lost', 'The sandbox crashed.')))
    if (this.job) worker.ref()
    else worker.unref()
  }

  private begin(): void {
    this.state = 'ready'
    this.post()
  }

  private post(): void {
    if (!this.job) return
    const { timeout } = this.job.message
    this.worker?.ref()
    this.timer = realTime.setTimeout(
      () => this.end(new SandboxFailure('time', `The code ran for more than ${timeout / 1000} seconds.`)),
      timeout + this.limits.grace,
    )
    this.worker?.postMessage(this.job.message)
  }

  /** Performs a request of the code and sends the response to the thread. */
  private async request(call: FetchCall): Promise<void> {
    const { worker, job } = this
    if (!job) return
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
    realTime.clearTimeout(this.timer)
    job?.signal?.removeEventListener('abort', this.abort)
    this.job = undefined
    if (job) this.on.ended(job, realTime.monotonicMs() - this.startedAt)
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
