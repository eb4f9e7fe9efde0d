import { type HttpPort, StepFailure } from '../../flow/pieces/ports.ts'
import { unscheduleJob } from '../../jobs/job-loop.ts'
import {
  type DeliveryRow,
  deliveryJobKind,
  findDeliveries,
  findDelivery,
  renewDeliveryLeases,
} from '../../store/deliveries/deliveries.ts'
import type { OutboxRow } from '../../store/deliveries/outbox.ts'
import type { JobRow } from '../../store/runtime/scheduled-jobs.ts'
import type { Deps } from '../runtime/deps.ts'
import { type DeliveryAttemptResult, deliveryAttempts } from './delivery-attempts.ts'
import { deliveryTargets } from './delivery-targets.ts'
import { ReceiverLimiter } from './receiver-limiter.ts'

type SlotCache = Parameters<ReturnType<typeof deliveryTargets>['resolve']>[1]

export interface DelivererOptions {
  readonly http: HttpPort
  /** The payload in the words this platform speaks. */
  readonly translate: (payload: unknown) => unknown
}

/** Milliseconds a receiver has to answer. */
const deliveryTimeoutMs = 10_000
/** Milliseconds a receiver has that is asked while a call rings. */
const inboundTimeoutMs = 5000
/** Attempts under way at once in a process, to all receivers: one that hangs takes nobody's place. */
const concurrency = 4096
/** Milliseconds of a lease, and between two signs of life. */
const leaseMs = 30_000
const heartbeatMs = 10_000
/** Characters of an answer that are kept. */
const maxStoredAnswer = 500

/**
 * Sends deliveries. Due work only begins an attempt: it goes on beside everything else, so that a receiver that is slow keeps nobody waiting. What came
 * of an attempt, and what is to be done next, is one transaction; whoever dies before it attempts again under the same message id.
 */
export class Deliverer {
  readonly #deps: Deps
  readonly #options: DelivererOptions
  readonly #running = new Map<number, Promise<void>>()
  readonly #limiter = new ReceiverLimiter()
  readonly #shutdown = new AbortController()
  readonly #targets: ReturnType<typeof deliveryTargets>
  readonly #attempts: ReturnType<typeof deliveryAttempts>
  #heartbeat: NodeJS.Timeout | undefined

  constructor(deps: Deps, options: DelivererOptions) {
    this.#deps = deps
    this.#options = options
    this.#targets = deliveryTargets(deps)
    this.#attempts = deliveryAttempts(deps)
  }

  /** Due work: begins an attempt of each. */
  async start(due: readonly JobRow[]): Promise<void> {
    while (this.#running.size >= concurrency && !this.#shutdown.signal.aborted)
      await Promise.race(this.#running.values())
    const ids = due
      .map((it) => Number(it.subject))
      .filter((it) => !this.#running.has(it) && !this.#limiter.isQueued(it))
    if (ids.length === 0) return
    const rows = (await findDeliveries(this.#deps.connection.read, ids)).filter((it) => it.status === 'pending')
    const obsolete = ids.filter((id) => !rows.some((it) => it.id === id))
    if (obsolete.length > 0)
      await this.#deps.connection.write(async (query) => {
        for (const id of obsolete) await unscheduleJob(query, deliveryJobKind, String(id))
      })
    const slotCache = new Map()
    for (const row of rows) if (this.#limiter.acquire(row.url, row.id)) this.#run(row, slotCache)
  }

  #run(row: Pick<DeliveryRow, 'id' | 'url'>, slotCache: SlotCache): void {
    const { connection, owner, wall, log } = this.#deps
    const running = this.#deliver(row, slotCache)
      .catch((error: Error) => log(`delivery ${row.id}: ${error.message}`))
      .finally(() => {
        this.#running.delete(row.id)
        const next = this.#limiter.release(row.url)
        if (next !== undefined && !this.#shutdown.signal.aborted) this.#run({ id: next, url: row.url }, new Map())
        if (this.#running.size > 0) return
        clearInterval(this.#heartbeat)
        this.#heartbeat = undefined
      })
    this.#running.set(row.id, running)
    // Those who wait for a place live as long as those who have one.
    this.#heartbeat ??= setInterval(() => {
      connection
        .write((query) => renewDeliveryLeases(query, owner, wall() + leaseMs))
        .catch((error: Error) => log(error.message))
    }, heartbeatMs)
  }

  async #deliver(given: DeliveryRow | { readonly id: number }, slotCache: SlotCache): Promise<void> {
    const row = 'payload' in given ? given : await findDelivery(this.#deps.connection.read, given.id)
    if (row?.status !== 'pending') return
    const target = await this.#targets.resolve(row, slotCache)
    if (target === undefined) return this.#attempts.cancel(row)
    const attempt = await this.#attempt(target.url, row.payload, target.headers, deliveryTimeoutMs)
    await this.#attempts.record({ ...row, url: target.url }, attempt)
  }

  async #attempt(
    url: string,
    payload: string,
    headersOf: (body: string, seconds: number) => Record<string, string>,
    timeout: number,
  ): Promise<DeliveryAttemptResult & { readonly body: string }> {
    const { wall } = this.#deps
    const body = JSON.stringify(this.#options.translate(JSON.parse(payload)))
    const startedAtMs = wall()
    const startedAt = performance.now()
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'parley-webhooks',
      ...headersOf(body, Math.floor(startedAtMs / 1000)),
    }
    const ms = (): number => Math.round(performance.now() - startedAt)
    try {
      const reply = await this.#options.http.send(
        { method: 'POST', url, headers, body, timeout },
        this.#shutdown.signal,
      )
      const text = Buffer.from(reply.body).toString('utf8')
      return {
        status: reply.status,
        error: null,
        retryAfter: reply.headers['retry-after'],
        answer: text.slice(0, maxStoredAnswer),
        body: text,
        ms: ms(),
      }
    } catch (error) {
      const message = this.#shutdown.signal.aborted
        ? 'The process ended before the receiver responded.'
        : (error as Error).message
      if (!(error instanceof StepFailure) && !this.#shutdown.signal.aborted)
        this.#deps.log(`delivery to ${url}: ${message}`)
      return { status: null, error: message, retryAfter: undefined, answer: null, body: '', ms: ms() }
    }
  }

  /** Asks a webhook something there is no second attempt for, while a call rings. What it answered, as text; undefined when nothing came of it. */
  async request(question: {
    readonly account: number
    readonly assistant: number
    readonly event: string
    readonly url: string
    readonly payload: object
  }): Promise<string | undefined> {
    const row = await this.#attempts.createRequest(question)
    const headers = await this.#targets.signing(row)
    const attempt = await this.#attempt(row.url, row.payload, headers, inboundTimeoutMs)
    await this.#attempts.record(row, attempt)
    return attempt.status !== null && attempt.status >= 200 && attempt.status < 300 ? attempt.body : undefined
  }

  /** An event as a webhook of its account would get it, with the headers that prove it. */
  async sign({
    id,
    account_id,
    payload,
    created_at,
  }: OutboxRow): Promise<{ readonly headers: Record<string, string>; readonly body: string }> {
    const body = JSON.stringify(this.#options.translate(JSON.parse(payload)))
    const headersOf = await this.#targets.signing({ account_id, message_id: `msg_event_${id}_${created_at}` })
    return {
      headers: { 'content-type': 'application/json', ...headersOf(body, Math.floor(this.#deps.wall() / 1000)) },
      body,
    }
  }

  /** Waits for the attempts that are under way, at most for as long. */
  async settle(budgetMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<void>((resolve) => {
      if (Number.isFinite(budgetMs)) timer = setTimeout(resolve, Math.max(0, budgetMs))
    })
    await Promise.race([this.#waitUntilIdle(), timeout])
    clearTimeout(timer)
  }

  async #waitUntilIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  /** Breaks off what is under way: it is attempted again later. */
  async close(): Promise<void> {
    this.#shutdown.abort()
    this.#limiter.clear()
    await this.#waitUntilIdle()
    clearInterval(this.#heartbeat)
  }
}

/** What sends the deliveries of a process. Addresses are those that automations may ask; a receiver that sends elsewhere has not taken what came. */
export async function createDeliverer(deps: Deps, translate: DelivererOptions['translate']): Promise<Deliverer> {
  const { createHttpClient, defaultPolicy } = await import('../../automation/http/http-client.ts')
  return new Deliverer(deps, {
    http: createHttpClient({ ...defaultPolicy, allowPrivate: deps.privateAddresses === true, maxRedirects: 0 }),
    translate,
  })
}
