import { ClientFailure } from '../../client/failures/client-failure.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { type BillingPrices, billing } from '../../contract/resources/billing.ts'
import type { Context } from '../context.ts'
import { usd } from '../output/usd.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the price of an operation in USD, or the highest price that it can have; undefined if it is not known. */
type PriceReader = (context: Context, input: Fields, prices: BillingPrices) => Promise<number | undefined>

const readers: Readonly<Record<string, PriceReader>> = {
  'sms.send': async (_, { body }, prices) => {
    const { countSegments } = await import('../../contract/values/sms-segments.ts')
    return countSegments(String(body)) * prices.sms_segment
  },

  'messaging.sendFreeform': async (_, __, { messages }) => messages.freeform,

  async 'messaging.send'(context, { sender_id, template_id }, { messages }) {
    const { messaging } = await import('../../contract/resources/messaging.ts')
    const { data } = await context.call(messaging.templates, { senderId: Number(sender_id), status: 'all' })
    return messages[data.find((it) => it.id === template_id)?.category ?? '']
  },

  // A call lasts at most as long as its assistant allows.
  async 'calls.start'(context, { assistant_id }, { call_minute }) {
    const { assistants } = await import('../../contract/resources/assistants.ts')
    const { paginate } = await import('../../client/paginate.ts')
    for await (const it of paginate<Endpoint, Fields>(context.call, assistants.list, {} as never, { all: true }))
      if (it.id === assistant_id)
        return typeof it.max_duration === 'number' ? Math.ceil(it.max_duration / 60) * call_minute : undefined
    return undefined
  },

  'conversations.send': async (_, __, { chat_message }) => chat_message,
  'replies.generate': async (_, __, { chat_message }) => chat_message,
}

/** Returns the prices of the platform, undefined if it does not report them. */
export async function platformPrices(context: Context): Promise<BillingPrices | undefined> {
  if (!(await context.supports('billing'))) return undefined
  return (await context.call(billing.summary, {})).data.prices ?? undefined
}

/**
 * Compares the price of an operation with `--budget` before it is sent, and returns it. `knownPriceUsd` is a price that
 * the command has read.
 * @throws ClientFailure `conflict` if the price is higher or not known
 */
export async function requireBudget(
  context: Context,
  { name }: Endpoint,
  input: unknown,
  knownPriceUsd: number | undefined,
): Promise<number> {
  if (knownPriceUsd !== undefined) return compareWithBudget(context, knownPriceUsd)
  const reader = readers[name]
  const prices = reader && (await platformPrices(context))
  return compareWithBudget(context, prices && (await reader?.(context, (input ?? {}) as Fields, prices)))
}

/** Compares the price of all rows with `--budget`, if it is passed. `priceOf` returns the price of one row in USD. */
export async function requireRowsBudget(
  context: Context,
  rows: number,
  priceOf: (prices: BillingPrices) => number | undefined,
): Promise<void> {
  if (context.spending.budgetUsd === undefined) return
  const prices = await platformPrices(context)
  const price = prices && priceOf(prices)
  compareWithBudget(context, price === undefined ? undefined : rows * price)
}

/** Compares a price with `--budget` and returns it. @throws ClientFailure `conflict` if it is higher or undefined */
export function compareWithBudget({ spending }: Context, priceUsd: number | undefined): number {
  const budget = spending.budgetUsd ?? Number.POSITIVE_INFINITY
  // Prices are added as floating-point numbers; a difference below a millionth is none.
  if (priceUsd !== undefined && priceUsd <= budget + 1e-9) return priceUsd
  throw new ClientFailure({
    exit: 'conflict',
    code: 'price',
    message:
      priceUsd === undefined
        ? 'The price is not known before it is charged, so that --budget cannot be checked. Nothing was sent.'
        : `This can cost ${usd(priceUsd)}, more than --budget ${budget}. Nothing was sent.`,
    hint: priceUsd === undefined ? 'Remove --budget to send it at any price.' : 'Raise --budget.',
  })
}
