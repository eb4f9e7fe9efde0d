import { type HttpPort, StepFailure } from '../../automation/ports.ts'
import { unschedule } from '../../events/due.ts'
import { type DeliveryRow, deliveryWork, findDeliveries, findDelivery, renewDeliveryLeases } from '../../store/deliveries.ts'
import type { DueRow } from '../../store/due.ts'
import type { OutboxRow } from '../../store/outbox.ts'
import type { Deps } from '../deps.ts'
import { type Attempt, outcomes } from './outcomes.ts'
import { Places } from './places.ts'
import { targets } from './targets.ts'

type Seen = Parameters<ReturnType<typeof targets>['of']>[1]

export interface DelivererOptions {
  readonly http: HttpPort
  /** The payload in the words this platform speaks. */
  readonly speak: (payload: unknown) => unknown
}

/** Milliseconds a receiver has to answer. */
const patience = 10_000
/** Milliseconds a receiver has that is asked while a call rings. */
const ringing = 5000
/** Attempts under way at once in a process, to all receivers: one that hangs takes nobody's place. */
const together = 4096
/** Milliseconds of a lease, and between two signs of life. */
const leaseMs = 30_000
const heartbeatMs = 10_000
/** Characters of an answer that are kept. */
const kept = 500

/**
 * Sends deliveries. Due work only begins an attempt: it goes on beside everything else, so that a receiver that is slow keeps nobody waiting. What came
 * of an attempt, and what is to be done next, is one transaction; whoever dies before it attempts again under the same message id.
 */
export class Deliverer {
  readonly #deps: Deps
  readonly #options: DelivererOptions
  readonly #going = new Map<number, Promise<void>>()
  readonly #places = new Places()
  readonly #leaving = new AbortController()
  readonly #targets: ReturnType<typeof targets>
  readonly #outcomes: ReturnType<typeof outcomes>
  #heart: NodeJS.Timeout | undefined

  constructor(deps: Deps, options: DelivererOptions) {
    this.#deps = deps
    this.#options = options
    this.#targets = targets(deps)
    this.#outcomes = outcomes(deps)
  }

  /** Due work: begins an attempt of each. */
  async begin(due: readonly DueRow[]): Promise<void> {
    while (this.#going.size >= together && !this.#leaving.signal.aborted) await Promise.race(this.#going.values())
    const ids = due.map((it) => Number(it.subject)).filter((it) => !this.#going.has(it) && !this.#places.holds(it))
    if (ids.length === 0) return
    const rows = (await findDeliveries(this.#deps.connection.read, ids)).filter((it) => it.status === 'pending')
    const gone = ids.filter((id) => !rows.some((it) => it.id === id))
    if (gone.length > 0)
      await this.#deps.connection.write(async (query) => {
        for (const id of gone) await unschedule(query, deliveryWork, String(id))
      })
    const seen = new Map()
    for (const row of rows) if (this.#places.enter(row.url, row.id)) this.#go(row, seen)
  }

  #go(row: Pick<DeliveryRow, 'id' | 'url'>, seen: Seen): void {
    const { connection, owner, wall, log } = this.#deps
    const going = this.#deliver(row, seen)
      .catch((error: Error) => log(`delivery ${row.id}: ${error.message}`))
      .finally(() => {
        this.#going.delete(row.id)
        const next = this.#places.leave(row.url)
        if (next !== undefined && !this.#leaving.signal.aborted) this.#go({ id: next, url: row.url }, new Map())
        if (this.#going.size > 0) return
        clearInterval(this.#heart)
        this.#heart = undefined
      })
    this.#going.set(row.id, going)
    // Those who wait for a place live as long as those who have one.
    this.#heart ??= setInterval(() => {
      connection.write((query) => renewDeliveryLeases(query, owner, wall() + leaseMs)).catch((error: Error) => log(error.message))
    }, heartbeatMs)
  }

  async #deliver(given: DeliveryRow | { readonly id: number }, seen: Seen): Promise<void> {
    const row = 'payload' in given ? given : await findDelivery(this.#deps.connection.read, given.id)
    if (row?.status !== 'pending') return
    const target = await this.#targets.of(row, seen)
    if (target === undefined) return this.#outcomes.withdrawn(row)
    const attempt = await this.#attempt(target.url, row.payload, target.headers, patience)
    await this.#outcomes.keep({ ...row, url: target.url }, attempt)
  }

  async #attempt(
    url: string,
    payload: string,
    headersOf: (body: string, seconds: number) => Record<string, string>,
    timeout: number,
  ): Promise<Attempt & { readonly body: string }> {
    const { wall } = this.#deps
    const body = JSON.stringify(this.#options.speak(JSON.parse(payload)))
    const began = wall()
    const real = performance.now()
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'parley-webhooks',
      ...headersOf(body, Math.floor(began / 1000)),
    }
    const ms = (): number => Math.round(performance.now() - real)
    try {
      const reply = await this.#options.http.send({ method: 'POST', url, headers, body, timeout }, this.#leaving.signal)
      const text = Buffer.from(reply.body).toString('utf8')
      return { status: reply.status, error: null, retryAfter: reply.headers['retry-after'], answer: text.slice(0, kept), body: text, ms: ms() }
    } catch (error) {
      const message = this.#leaving.signal.aborted ? 'The process ended before the receiver answered.' : (error as Error).message
      if (!(error instanceof StepFailure) && !this.#leaving.signal.aborted) this.#deps.log(`delivery to ${url}: ${message}`)
      return { status: null, error: message, retryAfter: undefined, answer: null, body: '', ms: ms() }
    }
  }

  /** Asks a webhook something there is no second attempt for, while a call rings. What it answered, as text; undefined when nothing came of it. */
  async ask(question: {
    readonly account: number
    readonly assistant: number
    readonly event: string
    readonly url: string
    readonly payload: object
  }): Promise<string | undefined> {
    const row = await this.#outcomes.asked(question)
    const headers = await this.#targets.signing(row)
    const attempt = await this.#attempt(row.url, row.payload, headers, ringing)
    await this.#outcomes.keep(row, attempt)
    return attempt.status !== null && attempt.status >= 200 && attempt.status < 300 ? attempt.body : undefined
  }

  /** An event as a webhook of its account would get it, with the headers that prove it. */
  async sign({ id, account_id, payload, created_at }: OutboxRow): Promise<{ readonly headers: Record<string, string>; readonly body: string }> {
    const body = JSON.stringify(this.#options.speak(JSON.parse(payload)))
    const headersOf = await this.#targets.signing({ account_id, message_id: `msg_event_${id}_${created_at}` })
    return { headers: { 'content-type': 'application/json', ...headersOf(body, Math.floor(this.#deps.wall() / 1000)) }, body }
  }

  /** Waits for the attempts that are under way, at most for as long. */
  async settle(budgetMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      if (Number.isFinite(budgetMs)) timer = setTimeout(resolve, Math.max(0, budgetMs))
    })
    await Promise.race([this.#idle(), late])
    clearTimeout(timer)
  }

  async #idle(): Promise<void> {
    while (this.#going.size > 0) await Promise.all(this.#going.values())
  }

  /** Breaks off what is under way: it is attempted again later. */
  async close(): Promise<void> {
    this.#leaving.abort()
    this.#places.clear()
    await this.#idle()
    clearInterval(this.#heart)
  }
}

/** What sends the deliveries of a process. Addresses are those that automations may ask; a receiver that sends elsewhere has not taken what came. */
export async function createDeliverer(deps: Deps, speak: DelivererOptions['speak']): Promise<Deliverer> {
  const { createHttp, defaultPolicy } = await import('../../automation/http/transport.ts')
  return new Deliverer(deps, { http: createHttp({ ...defaultPolicy, allowPrivate: deps.privateAddresses === true, redirects: 0 }), speak })
}
