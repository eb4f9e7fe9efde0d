import type { Endpoint } from '../../../../contract/mechanics/endpoint.ts'
import { usd } from '../../../../contract/values/money.ts'

/** Amounts in USD that count for operations whose price a platform does not show before. */
const assumedPrices: Readonly<Record<string, number>> = { 'calls.start': 1, 'campaigns.updateStatus': 1 }
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
