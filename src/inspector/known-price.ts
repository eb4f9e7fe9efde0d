import type { BillingSummary } from '../contract/resources/billing.ts'
import { amountText, usd } from '../contract/values/money.ts'
import type { InspectorBackend, InspectorRequest } from './backend.ts'
import { readingClient } from './platform-client.ts'

type Input = Readonly<Record<string, unknown>>

/** The price of a request, and the balance that pays for it; nothing for what an account without prices has. */
export interface PriceDetails {
  readonly price: readonly string[]
  readonly notes: readonly string[]
  /** The price in USD, if it is known exactly before the operation. */
  readonly priceUsd?: number | undefined
}

/** Returns the price of what a request buys or sends, and the balance that pays for it. */
export async function priceDetails(
  backend: InspectorBackend,
  request: InspectorRequest,
  input: Input,
): Promise<PriceDetails> {
  const read = async (url: string): Promise<unknown> => {
    const found = await backend.find('GET', url.split('?')[0] as string)
    if (!found) return undefined
    const answer = await backend
      .send({ ...request, ...found, method: 'GET', url, headers: {}, body: undefined })
      .catch(() => undefined)
    return answer?.status === 200 ? answer.body : undefined
  }
  if (request.endpoint.name === 'numbers.buy') {
    const price = await numberPrice(read, String(input.phone_number))
    const text = price === undefined ? 'unknown' : usd(price)
    return { price: [`Price: ${text}/month until you release it, paid by payment method`], notes: [], priceUsd: price }
  }
  const summary = ((await read('/api/user/billing/summary')) as { data?: BillingSummary } | undefined)?.data
  if (!summary?.prices) return { price: ['Price: unknown'], notes: [] }
  const price =
    (await priceOfThis(backend, request, input, summary.prices)) ?? priceText(request.endpoint.name, summary.prices)
  return {
    price: [`Price: ${price ?? 'unknown'}`],
    notes: summary.balance === null ? [] : [`Balance: ${amountText(summary.balance, summary.unit)}`],
  }
}

/** Returns the price of exactly this request, if it depends on its input; undefined if it is not known. */
async function priceOfThis(
  backend: InspectorBackend,
  request: InspectorRequest,
  input: Input,
  prices: NonNullable<BillingSummary['prices']>,
): Promise<string | undefined> {
  const { name } = request.endpoint
  if (!['campaigns.updateStatus', 'calls.start', 'messaging.send'].includes(name)) return undefined
  const { campaignPrice, maxCallPrice, templatePrice } = await import('../cli/operations/campaign-price.ts')
  const context = {
    call: await readingClient(backend, request),
    system: { signal: new AbortController().signal },
  }
  const known = async (price: Promise<number | undefined>): Promise<number | undefined> => {
    const found = await price.catch(() => undefined)
    return Number.isFinite(found) ? found : undefined
  }
  if (name === 'messaging.send') {
    const price = await known(templatePrice(context, input.sender_id, input.template_id, prices))
    return price === undefined ? undefined : usd(price)
  }
  if (name === 'calls.start') {
    const price = await known(maxCallPrice(context, input.assistant_id, prices))
    return price === undefined ? undefined : `at most ${usd(price)}, ${usd(prices.call_minute)} for each started minute`
  }
  const price = await known(campaignPrice(context, Number(input.campaign_id), prices))
  return price === undefined
    ? undefined
    : `at most ${usd(price)}, with every attempt, calls of the maximum duration, and the fallback`
}

function priceText(endpoint: string, prices: NonNullable<BillingSummary['prices']>): string | undefined {
  const { freeform, ...categories } = prices.messages
  const templates = Object.entries(categories).map(([category, price]) => `${category} ${usd(price)}`)
  const texts: Readonly<Record<string, string | undefined>> = {
    'calls.start': `${usd(prices.call_minute)} for each started minute`,
    'conversations.send': `${usd(prices.chat_message)} for the reply`,
    'replies.generate': `${usd(prices.chat_message)} for the reply`,
    'sms.send': `${usd(prices.sms_segment)} for each segment`,
    'messaging.send': `by category of the template: ${templates.join(', ')}`,
    'messaging.sendFreeform': freeform === undefined ? undefined : usd(freeform),
  }
  return texts[endpoint]
}

/** Returns the price of a number for sale per month in USD; undefined if it is not found. */
async function numberPrice(read: (url: string) => Promise<unknown>, number: string): Promise<number | undefined> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  const country = parsePhoneNumberFromString(number)?.country
  if (country === undefined) return undefined
  const query = new URLSearchParams({ country_code: country, contains: number.slice(-10) })
  const answer = (await read(`/api/user/phone-numbers/search?${query}`)) as
    | { data?: readonly { phone_number: string; price: unknown }[] }
    | undefined
  const price = answer?.data?.find((it) => it.phone_number === number)?.price
  return typeof price === 'number' ? price : undefined
}
