import type * as z from 'zod'
import type { CallMore, Client } from '../../../../client/create-client.ts'
import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import { itemsOf } from '../../../../client/paginate.ts'
import { property } from '../../../../client/response-body.ts'
import { capabilitiesHeader } from '../../../../contract/endpoint/capabilities.ts'
import { capabilityOf } from '../../../../contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../../contract/endpoint/endpoint.ts'
import { isOnlyOnParley, originKeywords } from '../../../../contract/endpoint/endpoint-origins.ts'
import { assumedHeader, requestIdHeader } from '../../../../contract/endpoint/headers.ts'
import { normalizeResponse } from '../../../../contract/endpoint/normalize-response.ts'
import type { Difference } from '../../../../contract/endpoint/response-differences.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { usd } from '../../../../contract/values/money.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { type ConformanceReport, drift } from './conformance-report.ts'

export type Fields = Record<string, unknown>

/** A response: JSON in the neutral vocabulary, undefined if the body is not JSON. Status 0: there was no response. */
export interface Answer {
  readonly status: number
  readonly output: unknown
  readonly headers: Readonly<Record<string, string>>
}

const unending = new AbortController()
const noAnswer: Answer = { status: 0, output: undefined, headers: {} }

/** Returns whether there was a response, so that it can be compared. A missing one is already a difference. */
export const isAnswered = ({ status }: Answer): boolean => status !== 0

/** Returns whether a response has a 2xx status. */
export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300

/** Limits and hooks of the requests of a check. */
export interface SessionOptions {
  /** Limits what the check may cost; undefined in a test account. */
  readonly budget?: CheckBudget | undefined
  /** Aborted when the user interrupts. */
  readonly signal?: AbortSignal | undefined
  /** For checks of rate limits. */
  readonly time?: { readonly sleep: (ms: number) => Promise<void>; readonly monotonicMs: () => number } | undefined
  /** Receives each success, also of a request that should have been refused. */
  readonly onSuccess?: ((endpoint: Endpoint, input: Fields, output: unknown) => void) | undefined
  /** Start of every text that the check writes, by which cleanup finds records without a known id. */
  readonly marker?: string | undefined
}

/** Sends requests with one key and checks all responses for their headers and for leaked secrets. */
export class ConformanceSession {
  readonly report: ConformanceReport
  readonly #call: Client
  #isParley = false
  /** Endpoints that sent no response. */
  readonly #closed = new Set<string>()
  /** Values that were sent or received as secrets, with the endpoints that may return them. */
  readonly #secrets = new Map<string, readonly string[]>()

  readonly #budget: CheckBudget | undefined
  readonly #signal: AbortSignal | undefined
  readonly #time: SessionOptions['time']
  readonly #onSuccess: SessionOptions['onSuccess']
  readonly marker: string
  #isEnding = false

  constructor(
    call: Client,
    report: ConformanceReport,
    { budget, signal, time, onSuccess, marker = '' }: SessionOptions = {},
  ) {
    this.#call = call
    this.report = report
    this.#budget = budget
    this.#signal = signal
    this.#time = time
    this.#onSuccess = onSuccess
    this.marker = marker
  }

  /** Returns the payload of a webhook in neutral words. */
  readPayload(payload: unknown): unknown {
    return this.#call.readPayload(payload)
  }

  /** From now on requests are sent even after an interrupt, to delete what was created. */
  end(): void {
    this.#isEnding = true
  }

  /** Whether the platform advertises capabilities, as every Parley server does. */
  get isParley(): boolean {
    // Remembered, so that one response without the header does not reset it.
    this.#isParley ||= (this.#call.capabilities()?.size ?? 0) > 0
    return this.#isParley
  }

  /** Returns whether an endpoint is checked; one that requires a capability only if the platform advertises it. */
  isOffered(endpoint: Endpoint): boolean {
    if (endpoint.auth === 'control') return false
    if (endpoint.capability !== undefined) return this.#call.capabilities()?.has(endpoint.capability) === true
    return endpoint.assumed === undefined || !isOnlyOnParley(endpoint.assumed) || this.isParley
  }

  /** Returns whether a field is checked; another platform may not know one that only a Parley server has. */
  offersField(schema: z.ZodType): boolean {
    const capability = capabilityOf(schema)
    if (capability !== undefined) return this.#call.capabilities()?.has(capability) === true
    return this.isParley || !isOnlyOnParley(String(schema.meta()?.[originKeywords.source] ?? ''))
  }

  /** Adds a secret. From now on, only the endpoints in `shownBy` may return it. */
  trackSecret(value: unknown, shownBy: readonly string[] = []): void {
    if (typeof value === 'string' && value.length >= 8) this.#secrets.set(value, shownBy)
  }

  /**
   * Sends one request; any status is a result. An endpoint without a response is one difference, and is not called
   * again.
   *
   * @throws ClientFailure if the user interrupts
   */
  async send(endpoint: Endpoint, input: Fields, more: CallMore = {}): Promise<Answer> {
    if (this.#closed.has(endpoint.name)) return noAnswer
    const price = this.#budget?.priceOf(endpoint, input) ?? 0
    const refusal = this.#budget?.reserve(price)
    if (refusal !== undefined) {
      this.report.skip(endpoint.name, refusal)
      return noAnswer
    }
    const settings = { acceptsAnyStatus: true, ...(this.#isEnding && { signal: unending.signal }), ...more }
    const answer = await this.#attempt(endpoint, input, settings)
    this.#budget?.settle(price, isSuccess(answer) || !isAnswered(answer))
    if (answer.headers === noAnswer.headers) return answer
    if (isSuccess(answer)) this.#onSuccess?.(endpoint, input, answer.output)
    this.report.add(endpoint.name, 'headers', this.#headerDifferences(endpoint, answer))
    const leaks = this.#leaks(endpoint, input, answer.output)
    if (leaks.length > 0) this.report.add(endpoint.name, 'secrets', leaks)
    return answer
  }

  /** Sends one request. A missing response is a difference of the endpoint, and status 0. */
  async #attempt(endpoint: Endpoint, input: Fields, settings: CallMore): Promise<Answer> {
    return this.#call.raw(endpoint, input, settings).catch((error) => {
      if (!this.#isEnding && this.#signal?.aborted) throw error
      if (!(error instanceof ClientFailure) || error.code === 'masked_value') throw error
      if (error.status === 429) {
        this.report.skip(endpoint.name, 'The platform limits requests (status 429).')
        return noAnswer
      }
      this.report.add(endpoint.name, 'answer', [
        drift('.', 'a response', error.status === undefined ? `none: ${error.message}` : `status ${error.status}`),
      ])
      if (error.status !== undefined) return { ...noAnswer, status: error.status }
      this.#closed.add(endpoint.name)
      return noAnswer
    })
  }

  /** Returns whether an endpoint sent no response, so that its request may have been carried out. */
  isClosed(endpoint: Endpoint): boolean {
    return this.#closed.has(endpoint.name)
  }

  /**
   * Sends a request several times at once, after a pause in which no earlier one counts. Returns undefined if the
   * platform took longer than a second or did not respond, which is reported.
   */
  async sendTogether(endpoint: Endpoint, input: Fields, count: number): Promise<readonly Answer[] | undefined> {
    const { sleep = async () => {}, monotonicMs = () => 0 } = this.#time ?? {}
    if (this.#closed.has(endpoint.name)) {
      this.report.skip(endpoint.name, 'The endpoint sent no response before.', 'rate_limit')
      return undefined
    }
    const price = this.#budget?.priceOf(endpoint, input) ?? 0
    const refusal = this.#budget?.reserve(price * count)
    if (refusal !== undefined) {
      this.report.skip(endpoint.name, refusal, 'rate_limit')
      return undefined
    }
    await sleep(1100)
    const start = monotonicMs()
    const answers = await Promise.all(
      Array.from({ length: count }, () =>
        this.#attempt(endpoint, input, { acceptsAnyStatus: true, acceptsThrottled: true }),
      ),
    )
    const tookMs = monotonicMs() - start
    for (const answer of answers) this.#budget?.settle(price, isSuccess(answer) || !isAnswered(answer))
    if (tookMs < 1000 && answers.every(isAnswered)) return answers
    const note = tookMs < 1000 ? 'A request got no response.' : 'The requests could not be sent within one second.'
    this.report.skip(endpoint.name, note, 'rate_limit')
    return undefined
  }

  #headerDifferences({ name, assumed }: Endpoint, answer: Answer): Difference[] {
    const { headers, output, status } = answer
    const found: Difference[] = []
    const type = headers['content-type']
    if ((output !== undefined || status !== 204) && !/^application\/([\w.+-]+\+)?json\b/i.test(type ?? ''))
      found.push(drift('content-type', 'application/json', type ?? 'nothing'))
    if (!this.isParley) return found
    for (const header of [capabilitiesHeader, requestIdHeader])
      if (!headers[header]) found.push(drift(header, 'a value', 'nothing'))
    if (isSuccess(answer) && (headers[assumedHeader] === name) !== (assumed !== undefined))
      found.push(drift(assumedHeader, assumed === undefined ? 'nothing' : name, headers[assumedHeader] ?? 'nothing'))
    return found
  }

  #leaks({ name }: Endpoint, input: Fields, output: unknown): Difference[] {
    if (this.#secrets.size === 0 || input.include_secrets === true) return []
    const text = stringifyJson(output) ?? ''
    return [...this.#secrets].flatMap(([value, shownBy]) =>
      shownBy.includes(name) || !text.includes(value)
        ? []
        : [drift(pathOf(output, value), 'no secret', 'an unmasked secret')],
    )
  }
}

/** Returns the path of a text in a response. */
function pathOf(json: unknown, value: string, path = ''): string {
  if (typeof json === 'string') return path || '.'
  const entries = Array.isArray(json)
    ? json.map((one) => ['*', one] as const)
    : isObject(json)
      ? Object.entries(json)
      : []
  for (const [name, below] of entries)
    if ((stringifyJson(below) ?? '').includes(value))
      return pathOf(below, value, path === '' ? name : `${path}.${name}`)
  return path || '.'
}

/** Returns the rows of a list, normalized to the contract. */
export const rowsOf = (endpoint: Endpoint, output: unknown): readonly Fields[] =>
  itemsOf(endpoint, normalizeResponse(endpoint.output, output)).filter(isObject)

/** Returns the record in a response about one resource. */
export const recordOf = (endpoint: Endpoint, output: unknown): Fields | undefined => {
  const whole = normalizeResponse(endpoint.output, output)
  const record = endpoint.record === undefined ? whole : property(whole, endpoint.record)
  return isObject(record) ? record : undefined
}

/** Returns the id of a row. */
export const idOf = (row: unknown): unknown => property(row, 'id')

/**
 * Amounts in USD that count for operations whose price a platform does not show before. The notes of `doctor` name them and the
 * next two.
 */
const assumedPrices: Readonly<Record<string, number>> = {
  'calls.start': 1,
  'campaigns.updateStatus': 1,
  'contacts.sendWaiting': 1,
}
const assumedMessagePrice = 0.25
const assumedNumberPrice = 2
/** Price of a widget message (section 8). */
const widgetMessagePrice = 0.01

/** Limits what the writes of a check cost. */
export class CheckBudget {
  readonly #limitUsd: number | undefined
  #usedUsd = 0
  #pendingUsd = 0
  #isCampaignStarted = false
  /** Conversations whose messages are free. */
  readonly freeConversations = new Set<unknown>()
  /** Monthly prices of numbers, by number. */
  readonly numberPrices = new Map<unknown, number>()

  /** Without a limit, nothing that costs money is sent. */
  constructor(limitUsd: number | undefined) {
    this.#limitUsd = limitUsd
  }

  /** Whether a limit was given. */
  get isGiven(): boolean {
    return this.#limitUsd !== undefined
  }

  /** Highest amount that the sent requests can have cost. */
  get usedUsd(): number {
    return this.#usedUsd
  }

  /** Returns the highest price of a request in USD; Infinity if it is a number without a known price. */
  priceOf({ name, risk }: Endpoint, input: Readonly<Record<string, unknown>>): number {
    if (name === 'campaigns.updateStatus')
      return input.action === 'start' || !this.#isCampaignStarted ? (assumedPrices[name] ?? 0) : 0
    if (risk !== 'spends') return 0
    if (name === 'numbers.buy')
      return this.numberPrices.get(input.phone_number) ?? Math.max(assumedNumberPrice, ...this.numberPrices.values())
    if (name === 'conversations.send') return this.freeConversations.has(input.uuid) ? 0 : widgetMessagePrice
    return assumedPrices[name] ?? assumedMessagePrice
  }

  /** Notes that a campaign was started, so that stopping it costs nothing. */
  noteStarted(): void {
    this.#isCampaignStarted = true
  }

  /** Returns the number with the lowest price that the budget allows. */
  cheapestNumber(): unknown {
    const [number] = [...this.numberPrices].sort((a, b) => a[1] - b[1])[0] ?? []
    return number
  }

  /** Reserves an amount. Returns why it cannot be spent. */
  reserve(priceUsd: number): string | undefined {
    if (priceUsd === 0) return undefined
    if (this.#limitUsd === undefined) return 'It costs money. Pass --budget <usd>.'
    const left = this.#limitUsd - this.#usedUsd - this.#pendingUsd
    if (priceUsd > left + 1e-9)
      return `It can cost ${usd(priceUsd)}, more than what is left of --budget (${usd(Math.max(0, left))}).`
    this.#pendingUsd += priceUsd
    return undefined
  }

  /** Ends a reservation. The amount counts if it may have been charged. */
  settle(priceUsd: number, isCharged: boolean): void {
    this.#pendingUsd -= priceUsd
    if (isCharged) this.#usedUsd += priceUsd
  }
}
