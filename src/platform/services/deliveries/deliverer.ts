import { createHttpClient, defaultPolicy } from '../../../engine/http/http-client.ts'
import { StepFailure } from '../../../engine/pieces/step-failure.ts'
import type { HttpPort } from '../../../engine/ports.ts'
import { decodeText } from '../../../node/decode-text.ts'
import { FairQueue } from '../../../node/fair-queue.ts'
import { FairSlots } from '../../../node/fair-slots.ts'
import { messageOf } from '../../../node/is-error.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { realTime, yieldToEventLoop } from '../../../node/real-time.ts'
import { withTrace } from '../../../node/trace.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { groupByAccount, writeRows } from '../../store/database/write-rows.ts'
import { type DeliveryRow, deliveryJobKind, findDeliveries, findDelivery } from '../../store/deliveries/deliveries.ts'
import type { OutboxRow } from '../../store/deliveries/outbox.ts'
import { deleteJobById, type JobRow, renewLeasesOf } from '../../store/runtime/scheduled-jobs.ts'
import type { Deps } from '../runtime/deps.ts'
import { type DeliveryAttemptResult, deliveryAttempts } from './delivery-attempts.ts'
import { deliveryTargets } from './delivery-targets.ts'
import type { CopyChanges, EventPort, WebhookRequest } from './event-port.ts'

/** Maximum concurrent attempts of a process at one receiver. */
const maxPerReceiver = 32

/** Delivery that waits for a place at its receiver. */
type QueuedDelivery = Pick<DeliveryRow, 'id' | 'account_id' | 'url'>

/**
 * Limits concurrent attempts by receiver, for which accounts take turns: several may have the same one. Waiting deliveries
 * are held without their payload, so that very many can wait.
 */
export class ReceiverLimiter {
  readonly #active = new Map<string, number>()
  readonly #waiting = new Map<string, FairQueue<QueuedDelivery>>()
  readonly #queued = new Map<number, QueuedDelivery>()

  isQueued(id: number): boolean {
    return this.#queued.has(id)
  }

  /** Returns the queued deliveries. */
  queued(): Iterable<QueuedDelivery> {
    return this.#queued.values()
  }

  /** Takes a place at the receiver. Returns false when none is free; the delivery is queued then. */
  acquire(delivery: QueuedDelivery): boolean {
    const { id, account_id, url } = delivery
    const active = this.#active.get(url) ?? 0
    if (active < maxPerReceiver) {
      this.#active.set(url, active + 1)
      return true
    }
    const queue = this.#waiting.get(url) ?? new FairQueue()
    const queued = { id, account_id, url }
    queue.add(account_id, queued)
    this.#waiting.set(url, queue)
    this.#queued.set(id, queued)
    return false
  }

  /** Releases a place. Returns the queued delivery that takes it. */
  release(url: string): QueuedDelivery | undefined {
    const queue = this.#waiting.get(url)
    const next = queue?.take()
    if (queue?.size === 0) this.#waiting.delete(url)
    if (next !== undefined) {
      queue?.end(next.account_id, 0)
      this.#queued.delete(next.id)
      return next
    }
    const remaining = (this.#active.get(url) ?? 1) - 1
    if (remaining > 0) this.#active.set(url, remaining)
    else this.#active.delete(url)
    return undefined
  }

  /** Clears all queues. */
  clear(): void {
    this.#waiting.clear()
    this.#queued.clear()
  }
}

type SlotCache = Parameters<ReturnType<typeof deliveryTargets>['resolve']>[1]

/** Returns the headers of a body that is sent at a time in seconds. */
type HeadersOf = (body: string, seconds: number) => Record<string, string>

/** What an attempt sends, and milliseconds until the receiver must have responded. */
type AttemptDetails = readonly [payload: string, headersOf: HeadersOf, timeout: number]

type AttemptResult = DeliveryAttemptResult & { readonly body: string; readonly isInterrupted: boolean }

/** Options of a deliverer. */
interface DelivererOptions {
  readonly http: HttpPort
  /** Translates a payload into the vocabulary of this platform. */
  readonly translate: (payload: unknown) => unknown
}

/** Milliseconds a receiver has to respond. */
const deliveryTimeoutMs = 10_000
/** Milliseconds a receiver has to respond while a call rings. */
const inboundTimeoutMs = 5000
/**
 * Maximum concurrent attempts of a process, to all receivers, and of one account. The limits are high so that receivers that
 * hang do not block others.
 */
const concurrency = { total: 4096, perAccount: 1024 }
/** Number of attempts that start in one turn of the event loop. Each opens a connection, and requests wait for them. */
const startsPerTurn = 8
/** Duration of a lease and interval of its renewal, in milliseconds. */
const leaseMs = 30_000
const heartbeatMs = 10_000
/** Maximum characters of a response that are stored. */
const maxStoredAnswer = 500

/**
 * Sends deliveries. A job only starts an attempt, which then runs in the background, so that a slow receiver does not
 * block other jobs. The result of an attempt and the next step are stored in one transaction. After a crash the attempt
 * is repeated under the same message id.
 */
class Deliverer implements EventPort {
  readonly #deps: Deps
  readonly #options: DelivererOptions
  readonly #running = new Map<number, { readonly row: QueuedDelivery; readonly ended: Promise<void> }>()
  readonly #limiter = new ReceiverLimiter()
  readonly #slots = new FairSlots(concurrency)
  readonly #shutdown = new AbortController()
  readonly #targets: ReturnType<typeof deliveryTargets>
  readonly #attempts: ReturnType<typeof deliveryAttempts>
  #heartbeat: NodeJS.Timeout | undefined

  constructor(deps: Deps, options: DelivererOptions) {
    this.#deps = deps
    this.#options = options
    this.#targets = deliveryTargets(deps)
    this.#attempts = deliveryAttempts(deps)
    deps.leases.setHolder('deliverer', (job) => job.kind === deliveryJobKind && this.#holds(Number(job.subject)))
  }

  #holds(id: number): boolean {
    return this.#running.has(id) || this.#limiter.isQueued(id)
  }

  async start(due: readonly JobRow[]): Promise<void> {
    const jobs = due.filter((it) => !this.#holds(Number(it.subject)))
    if (jobs.length === 0) return
    const rows = await this.#findPending(jobs)
    const found = new Set(rows.map((it) => String(it.id)))
    await writeRows(
      this.#deps.connection,
      jobs.filter(({ subject }) => !found.has(subject)),
      async (query, obsolete) => {
        // By the id of the job: a delivery that was sent again has a new job.
        for (const { id, account_id } of obsolete) await deleteJobById(accountQuery(query, account_id), id)
      },
    )
    const slotCache = new Map()
    for (const [n, row] of rows.entries()) {
      if (n > 0 && n % startsPerTurn === 0) await yieldToEventLoop()
      const { signal } = this.#shutdown
      await this.#slots.acquire(row.account_id, signal).catch(() => {})
      if (signal.aborted) return
      if (this.#limiter.acquire(row)) this.#run(row, slotCache)
      else this.#slots.release(row.account_id)
    }
  }

  /** Returns the deliveries of jobs that are to be sent, oldest first. */
  async #findPending(jobs: readonly JobRow[]): Promise<DeliveryRow[]> {
    const found: DeliveryRow[] = []
    for (const [account, own] of groupByAccount(jobs)) {
      const ids = own.map((it) => Number(it.subject))
      found.push(...(await findDeliveries(accountQuery(this.#deps.connection.read, account), ids)))
    }
    return found.filter((it) => it.status === 'pending').sort((a, b) => a.id - b.id)
  }

  /** Sends a delivery that has a slot and a place at its receiver. */
  #run(row: QueuedDelivery, slotCache: SlotCache): void {
    const { wall, log } = this.#deps
    const ended = this.#deliver(row, slotCache)
      .catch((error: Error) => log(`delivery ${row.id}: ${error.message}`))
      .finally(() => {
        this.#running.delete(row.id)
        const next = this.#limiter.release(row.url)
        if (next !== undefined && !this.#shutdown.signal.aborted) {
          this.#slots.begin(next.account_id)
          this.#run(next, new Map())
        }
        this.#slots.release(row.account_id)
        if (this.#running.size > 0) return
        realTime.clearInterval(this.#heartbeat)
        this.#heartbeat = undefined
      })
    this.#running.set(row.id, { row, ended })
    // Deliveries that are queued in the limiter need their leases renewed too.
    this.#heartbeat ??= realTime.setInterval(() => {
      this.#renewLeases(this.#held(), wall() + leaseMs).catch((error: Error) => log(error.message))
    }, heartbeatMs)
  }

  /** Returns the deliveries of this process, those that wait for their receiver included. */
  #held(): QueuedDelivery[] {
    return [...[...this.#running.values()].map((it) => it.row), ...this.#limiter.queued()]
  }

  #ended(): Promise<void>[] {
    return [...this.#running.values()].map((it) => it.ended)
  }

  /** Extends the leases of deliveries until a wall time in milliseconds; 0 ends them. */
  async #renewLeases(deliveries: readonly QueuedDelivery[], until: number): Promise<void> {
    const { connection, owner } = this.#deps
    await writeRows(connection, deliveries, async (query, rows) => {
      const subjects = rows.map((it) => String(it.id))
      await renewLeasesOf(query, deliveryJobKind, subjects, { owner, until })
    })
  }

  #find({ id, account_id }: QueuedDelivery): Promise<DeliveryRow | undefined> {
    return findDelivery(accountQuery(this.#deps.connection.read, account_id), id)
  }

  async #deliver(given: DeliveryRow | QueuedDelivery, slotCache: SlotCache): Promise<void> {
    const row = 'payload' in given ? given : await this.#find(given)
    if (row?.status !== 'pending') return
    // The caller may be the end of another delivery.
    await withTrace(row.trace, () => this.#send(row, slotCache))
  }

  async #send(row: DeliveryRow, slotCache: SlotCache): Promise<void> {
    const target = await this.#targets.resolve(row, slotCache)
    if (target === undefined) return this.#attempts.cancel(row)
    const attempt = await this.#attempt(row.account_id, target.url, row.payload, target.headers, deliveryTimeoutMs)
    // The next process repeats an attempt that a shutdown interrupted. It says nothing about the receiver.
    if (attempt.isInterrupted) return
    await this.#attempts.record({ ...row, url: target.url }, attempt)
    const isDelivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300
    this.#deps.countEvent?.('delivery', { outcome: isDelivered ? 'delivered' : 'failed' })
  }

  /** Sends a payload to a receiver, which is a span of the trace. Paths of receivers may be secret, so only its host is recorded. */
  #attempt(account: number, url: string, ...rest: AttemptDetails): Promise<AttemptResult> {
    const { measure } = this.#deps
    const post = () => this.#post(url, ...rest)
    if (!measure) return post()
    return measure('client', post, (ended) => {
      const status = 'result' in ended ? (ended.result.status ?? undefined) : undefined
      return {
        name: 'webhook delivery',
        attributes: {
          'http.request.method': 'POST',
          'http.response.status_code': status,
          'parley.account.id': account,
          'server.address': URL.canParse(url) ? new URL(url).hostname : undefined,
        },
        hasFailed: status === undefined || status < 200 || status >= 300,
      }
    })
  }

  async #post(url: string, payload: string, headersOf: HeadersOf, timeout: number): Promise<AttemptResult> {
    const { wall } = this.#deps
    const body = stringifyJson(this.#options.translate(parseJson(payload)))
    const startedAtMs = wall()
    const startedAt = realTime.monotonicMs()
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'parley-webhooks',
      ...headersOf(body, Math.floor(startedAtMs / 1000)),
    }
    const ms = (): number => Math.round(realTime.monotonicMs() - startedAt)
    try {
      const reply = await this.#options.http.send(
        { method: 'POST', url, headers, body, timeout },
        this.#shutdown.signal,
      )
      const text = decodeText(reply.body, reply.headers['content-type'])
      return {
        status: reply.status,
        error: null,
        retryAfter: reply.headers['retry-after'],
        answer: text.slice(0, maxStoredAnswer),
        body: text,
        isInterrupted: false,
        ms: ms(),
      }
    } catch (error) {
      const isInterrupted = this.#shutdown.signal.aborted
      const message = isInterrupted ? 'The process ended before the receiver responded.' : messageOf(error)
      if (!(error instanceof StepFailure) && !isInterrupted) this.#deps.log(`delivery to ${url}: ${message}`)
      return { status: null, error: message, retryAfter: undefined, answer: null, body: '', isInterrupted, ms: ms() }
    }
  }

  async request(question: WebhookRequest): Promise<string | undefined> {
    const row = await this.#attempts.createRequest(question)
    const headers = await this.#targets.signing(row)
    const attempt = await this.#attempt(row.account_id, row.url, row.payload, headers, inboundTimeoutMs)
    await this.#attempts.record(row, attempt)
    return attempt.status !== null && attempt.status >= 200 && attempt.status < 300 ? attempt.body : undefined
  }

  async sendCopy(
    original: DeliveryRow,
    { url = original.url, payload, headers = {} }: CopyChanges,
  ): Promise<DeliveryRow> {
    const { account_id: account, assistant_id: assistant, event } = original
    const row = await this.#attempts.createRequest({
      account,
      assistant,
      event,
      url,
      payload: payload ?? parseJson(original.payload),
    })
    // The webhook of the original has its secret; one that was switched off has none.
    const target = await this.#targets.resolve({ ...original, message_id: row.message_id })
    const sign = target?.headers ?? (await this.#targets.signing(row))
    const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const attempt = await this.#attempt(
      row.account_id,
      row.url,
      row.payload,
      (body, seconds) => ({ ...own, ...sign(body, seconds) }),
      deliveryTimeoutMs,
    )
    await this.#attempts.record(row, attempt)
    return (await this.#find(row)) ?? row
  }

  async sign({
    id,
    account_id,
    payload,
    created_at,
  }: OutboxRow): Promise<{ readonly headers: Record<string, string>; readonly body: string }> {
    const body = stringifyJson(this.#options.translate(parseJson(payload)))
    const headersOf = await this.#targets.signing({ account_id, message_id: `msg_event_${id}_${created_at}` })
    return {
      headers: { 'content-type': 'application/json', ...headersOf(body, Math.floor(this.#deps.wall() / 1000)) },
      body,
    }
  }

  /** Waits for the attempts in progress, at most for `budgetMs` milliseconds. */
  async settle(budgetMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<void>((resolve) => {
      if (Number.isFinite(budgetMs)) timer = realTime.setTimeout(resolve, Math.max(0, budgetMs))
    })
    await Promise.race([this.#waitUntilIdle(), timeout])
    realTime.clearTimeout(timer)
  }

  async #waitUntilIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#ended())
  }

  /** Aborts the attempts in progress and releases their jobs, so that any process repeats them. */
  async close(): Promise<void> {
    const held = this.#held()
    this.#shutdown.abort()
    this.#limiter.clear()
    await this.#waitUntilIdle()
    realTime.clearInterval(this.#heartbeat)
    await this.#renewLeases(held, 0).catch((error: Error) => this.#deps.log(error.message))
  }
}

/**
 * Creates the deliverer of a process. Its HTTP client has the address policy of automations. A redirect counts as a
 * failed attempt.
 */
export function createDeliverer(deps: Deps, translate: DelivererOptions['translate']): Deliverer {
  return new Deliverer(deps, {
    http: createHttpClient({
      ...defaultPolicy,
      allowPrivate: deps.privateAddresses ?? false,
      isOffline: deps.isOffline,
      maxRedirects: 0,
    }),
    translate,
  })
}
