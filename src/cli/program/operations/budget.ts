// Prices of paid operations, read before they are sent, and `--budget`. The questions are in ../consent/confirm-paid-request.ts.

import type { CallSettings } from '../../../client/client.ts'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { BudgetCheck } from '../../../client/journal/open-operations.ts'
import { approvalClass } from '../../../contract/endpoint/approval-class.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { type BillingPrices, type BillingSummary, billing } from '../../../contract/resources/billing.ts'
import { contacts } from '../../../contract/resources/contacts.ts'
import { usd } from '../../../contract/values/money.ts'
import { countSegments } from '../../../contract/values/sms-segments.ts'
import type { Context } from '../context.ts'
import { pathId } from '../input/ids.ts'
import { isPriced, quote } from './number-offers.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the price of an operation in USD, or the highest price that it can have; undefined if it is not known. */
type PriceReader = (context: Context, input: Fields, prices: BillingPrices) => Promise<number | undefined>

/** Prices that depend on other resources. */
const loadPrices = () => import('./campaign-price.ts')
/** What only a profile with a budget needs. */
const loadBudget = () => import('./profile-budget.ts')

/**
 * Readers of prices by the name of the endpoint. An operation without one has no known price, unless its command reads one:
 * `--budget` refuses it then. `knownPrice` reads the price of `numbers.buy` from the offer.
 */
const readers: Readonly<Record<string, PriceReader>> = {
  'sms.send': async (_, { body }, prices) => {
    return countSegments(String(body)) * prices.sms_segment
  },

  'messaging.sendFreeform': async (_, __, { messages }) => messages.freeform,

  'messaging.send': async (context, { sender_id, template_id }, prices) => {
    const { templatePrice } = await loadPrices()
    return templatePrice(context, sender_id, template_id, prices)
  },

  // A call lasts at most as long as its assistant allows.
  'calls.start': async (context, { assistant_id }, prices) => {
    const { maxCallPrice } = await loadPrices()
    return maxCallPrice(context, assistant_id, prices)
  },

  'campaigns.updateStatus': async (context, { campaign_id }, prices) => {
    const { campaignPrice } = await loadPrices()
    return campaignPrice(context, pathId(campaign_id as number), prices)
  },

  // What does not wait any more costs nothing.
  'contacts.sendWaiting': async ({ call }, { waiting_id }) => {
    const [found] = (await call(contacts.waiting, { waiting_id: pathId(waiting_id as number), state: 'all' })).data
    return found?.state === 'waiting' ? (found.max_cost ?? undefined) : 0
  },

  'conversations.send': async (_, __, { chat_message }) => chat_message,
  'replies.generate': async (_, __, { chat_message }) => chat_message,
}

/** Operations whose price is known only as the highest that it can be, so that it is not the amount that is charged. */
const isMaximum: ReadonlySet<string> = new Set([
  'calls.start',
  'campaigns.updateStatus',
  'contacts.sendWaiting',
  // A test conversation is free, and so is a message without a reply.
  'conversations.send',
  'replies.generate',
])

/** Prices of the platform, and the unit of the balance. Each is null if the platform does not report it. */
export type Billing = Pick<BillingSummary, 'prices' | 'unit'>

/** Reads prices and unit of the balance. */
export async function readBilling(context: Context): Promise<Billing> {
  if (!(await context.supports('billing'))) return { prices: null, unit: null }
  return (await context.call(billing.summary, {})).data
}

/** Returns the prices of the platform, undefined if it does not report them. */
export const platformPrices = async (context: Context): Promise<BillingPrices | undefined> =>
  (await readBilling(context)).prices ?? undefined

/**
 * Compares the price of an operation with `--budget` before it is sent: the price that the command has read, else that of the
 * platform. Returns the exact price, undefined if only the highest price is known.
 * @throws ClientFailure `conflict` if the price is higher or not known
 */
export async function requireBudget(
  context: Context,
  { name }: Endpoint,
  input: unknown,
  { priceUsd: exact, maxPriceUsd: highest }: CallSettings,
): Promise<number | undefined> {
  const fields = (input ?? {}) as Fields
  if (name === 'campaigns.updateStatus' && fields.action !== 'start') return undefined
  const priceUsd = exact ?? highest ?? (await knownPrice(context, name, fields))
  const compared = compareWithBudget(context, priceUsd)
  return exact ?? (highest === undefined && !isMaximum.has(name) ? compared : undefined)
}

/** Returns the comparison of operations with the budget of the profile; undefined if it has none. */
export async function openBudgetCheck(context: Context): Promise<BudgetCheck | undefined> {
  const { profileBudgetCheck } = await loadBudget()
  return profileBudgetCheck(context.system, await context.settings(), (await context.journal()).file)
}

/**
 * Returns the most that an operation can cost in USD, which counts against the budget of the profile until the cost is known:
 * what the caller has read, else the price of the platform. Undefined if it is not known. What only stops something is free.
 */
export async function readHighestPrice(
  context: Context,
  endpoint: Endpoint,
  input: unknown,
  { priceUsd, maxPriceUsd }: CallSettings,
): Promise<number | undefined> {
  if (approvalClass(endpoint, input) === 'none') return 0
  const price = priceUsd ?? maxPriceUsd ?? (await knownPrice(context, endpoint.name, (input ?? {}) as Fields))
  return price !== undefined && Number.isFinite(price) ? price : undefined
}

/** Returns the price of an operation, or the highest price that it can have; undefined if it is not known. */
export const knownPrice = (context: Context, name: string, input: Fields): Promise<number | undefined> =>
  name === 'numbers.buy' ? numberPrice(context, input) : reportedPrice(context, name, input)

/** Returns the monthly price of a number that is for sale. */
async function numberPrice(context: Context, { phone_number: number }: Fields): Promise<number | undefined> {
  const offer = await quote(context, String(number))
  return offer && isPriced(offer) ? offer.price : undefined
}

/** Returns the price of an operation from the prices that the platform reports; undefined if it reports none. */
export async function reportedPrice(context: Context, name: string, input: Fields): Promise<number | undefined> {
  const reader = readers[name]
  const prices = reader && (await platformPrices(context))
  return prices && reader?.(context, input, prices)
}

/**
 * Returns the price of an operation whose answer has no cost; undefined if it is not known or could not be read. A price
 * is only shown and recorded, so that a failed read does not stop the operation.
 */
export async function readPrice(context: Context, { name }: Endpoint, input: Fields): Promise<number | undefined> {
  return whereReadable(() => reportedPrice(context, name, input))
}

/** Returns the price of a started minute of a call; undefined if it is not known or could not be read. */
export const readMinutePrice = (context: Context): Promise<number | undefined> =>
  whereReadable(async () => (await platformPrices(context))?.call_minute)

async function whereReadable(read: () => Promise<number | undefined>): Promise<number | undefined> {
  try {
    const price = await read()
    return Number.isFinite(price) ? price : undefined
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.exit === 'interrupted') throw error
    return undefined
  }
}

/** Compares a price with `--budget` and returns it. @throws ClientFailure `conflict` if it is higher or undefined */
export function compareWithBudget({ writeSettings }: Context, readPriceUsd: number | undefined): number {
  // A platform may report a price that is not a number.
  const priceUsd = Number.isFinite(readPriceUsd) ? readPriceUsd : undefined
  const budget = writeSettings.budgetUsd ?? Number.POSITIVE_INFINITY
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
