import { type BillingSummary, billing } from '../../../contract/resources/billing.ts'
import { messagePrices } from '../../../contract/values/message-prices.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { parseMicros, toIsoMicros } from '../../jobs/clock.ts'
import { type AccountBilling, billingService } from '../../services/billing/billing-service.ts'
import { minutePrice } from '../../services/billing/call-prices.ts'
import { messagePrice } from '../../services/conversations/chat-turns.ts'
import { segmentPrice } from '../../services/messaging/sms-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'
import type { NumberWithSubscription } from '../../store/numbers/numbers.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const billingResource = (deps: Deps): LoadedResource => loadedResource(billing, billingHandlers(deps))

/** Creates the handlers of billing. */
function billingHandlers(deps: Deps): HandlersOf<typeof billing> {
  const service = billingService(deps)
  return {
    summary: async (_, { account }) => ({ data: toSummary(account, await service.summary(account)) }),
    usage: async ({ by, since, until }, { account }) => ({
      data: (
        await service.usage(account, by, {
          since: since === undefined ? undefined : parseMicros(since),
          until: until === undefined ? undefined : parseMicros(until),
        })
      ).map((it) => ({ ...it, amount: fromMillionths(it.amount) })),
    }),
  }
}

const timeOrNull = (micros: number | null | undefined): string | null =>
  micros === null || micros === undefined ? null : toIsoMicros(micros)

/** Converts an average to an amount of money, rounded to the millionth. */
const rounded = (millionths: number | null): number | null =>
  millionths === null ? null : fromMillionths(Math.round(millionths))

const toBilledNumber = ({ number, subscription }: NumberWithSubscription): BillingSummary['numbers'][number] => ({
  id: number.id,
  phone_number: number.phone_number,
  nickname: number.nickname,
  type: number.type,
  price_usd: subscription ? fromMillionths(subscription.price) : 0,
  status: subscription && subscription.status !== 'ended' ? subscription.status : 'none',
  next_charge_at: timeOrNull(subscription?.status === 'ending' ? null : subscription?.period_end),
  ends_at: timeOrNull(subscription?.status === 'ending' ? subscription.period_end : null),
})

function toSummary({ kind, payment_method }: AccountRow, billing: AccountBilling): BillingSummary {
  const count = (status: string): number =>
    billing.numbers.filter(({ subscription }) => subscription?.status === status).length
  return {
    at: toIsoMicros(billing.now),
    unit: kind === 'tenant' ? 'usd' : 'minute',
    balance: fromMillionths(billing.balance),
    has_payment_method: payment_method !== null,
    month: {
      since: toIsoMicros(billing.month.start),
      until: toIsoMicros(billing.month.end),
      kinds: billing.kinds.map(({ key, unit, amount, charges, paid_from }) => ({
        kind: key,
        usage_kind: key,
        unit,
        amount: fromMillionths(amount),
        charges,
        paid_from,
      })),
      charged: fromMillionths(billing.charged),
      topped_up: fromMillionths(billing.toppedUp),
      card_usd: fromMillionths(billing.card),
      is_complete: true,
    },
    numbers: billing.numbers.map(toBilledNumber),
    subscriptions: {
      active: count('active'),
      past_due: count('past_due'),
      ending: count('ending'),
      monthly_usd: fromMillionths(billing.monthly),
      next_charge_at: timeOrNull(billing.nextCharge),
    },
    forecast: {
      basis_days: billing.forecast.basisDays,
      average_per_day: rounded(billing.forecast.averagePerDay),
      month_charged: rounded(billing.forecast.monthTotal),
      month_card_usd: fromMillionths(billing.monthCard),
      days_left: billing.forecast.daysLeft,
    },
    limits: [...billing.limits],
    prices: {
      call_minute: fromMillionths(minutePrice),
      chat_message: fromMillionths(messagePrice),
      sms_segment: fromMillionths(segmentPrice),
      messages: Object.fromEntries(Object.entries(messagePrices).map(([name, price]) => [name, fromMillionths(price)])),
    },
    sources: {
      balance: 'ledger',
      month: 'ledger',
      numbers: 'subscriptions',
      forecast: 'ledger',
      limits: 'account',
    },
  }
}
