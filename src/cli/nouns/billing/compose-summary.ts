import type { BillingSummary } from '../../../contract/resources/billing.ts'
import { numbers } from '../../../contract/resources/numbers.ts'
import { user } from '../../../contract/resources/user.ts'
import { paidFromOf } from '../../../contract/values/money.ts'
import { basisStart, forecastUsage, monthOf } from '../../../contract/values/usage-forecast.ts'
import type { Context } from '../../program/context.ts'
import { type PaidItem, readPaidItems } from './paid-items.ts'

/**
 * Builds a summary from what a platform without the capability reports: the balance, the list of numbers, and the costs
 * of calls and conversations. Everything else is null.
 */
export async function composeSummary(context: Context): Promise<BillingSummary> {
  const me = (await context.call(user.me, {})) as Readonly<Record<string, unknown>>
  const { now } = context.out.settings
  const { start, end } = monthOf(now)
  const from = basisStart(now)
  const { items, isComplete } = await readPaidItems(context, Math.min(start, from), now + 1)
  const { data } = await context.call(numbers.list, {})
  const month = items.filter((it) => it.day >= isoDay(start))
  const kinds = kindsOf(month)
  // Credit is reported without its unit, so that a cost in USD cannot be compared with it.
  const forecast = forecastUsage({
    now,
    basisStart: from,
    recent: isComplete ? sumOf(items.filter((it) => it.day >= isoDay(from))) : null,
    month: isComplete ? sumOf(month) : null,
    balance: null,
  })
  const balance = typeof me.total_balance === 'number' ? me.total_balance : null
  return {
    at: toIso(now),
    unit: null,
    balance,
    has_payment_method: null,
    month: {
      since: toIso(start),
      until: toIso(end),
      kinds,
      charged: null,
      topped_up: null,
      card_usd: null,
      is_complete: false,
    },
    numbers: data.map(toBilled),
    subscriptions: {
      active: null,
      past_due: null,
      ending: null,
      monthly_usd: null,
      next_charge_at: data.map((it) => it.renews_at ?? null).reduce(earlier, null),
    },
    forecast: {
      basis_days: forecast.basisDays,
      average_per_day: forecast.averagePerDay,
      month_charged: forecast.monthTotal,
      month_card_usd: null,
      days_left: null,
    },
    limits: [],
    prices: null,
    sources: {
      balance: balance === null ? 'unknown' : 'account',
      month: 'calls_and_conversations',
      numbers: 'number_list',
      forecast: isComplete ? 'calls_and_conversations' : 'unknown',
      limits: 'unknown',
    },
  }
}

const toIso = (ms: number): string => new Date(ms).toISOString().replace(/(\.\d{3})Z$/, '$1000Z')
const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const earlier = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && b < a) ? (b ?? a) : a

/** Adds up amounts in millionths, so that cents are exact. */
const sumOf = (items: readonly PaidItem[]): number =>
  items.reduce((sum, it) => sum + Math.round(it.amountUsd * 1_000_000), 0) / 1_000_000

function kindsOf(items: readonly PaidItem[]): BillingSummary['month']['kinds'] {
  const kinds = [...new Set(items.map((it) => it.kind))]
  return kinds.map((kind) => {
    const found = items.filter((it) => it.kind === kind)
    const charges = found.filter((it) => it.amountUsd > 0).length
    return { kind, usage_kind: kind, unit: 'usd', amount: sumOf(found), charges, paid_from: paidFromOf(kind) }
  })
}

type Listed = Awaited<ReturnType<typeof composeSummary>>['numbers'][number]

/** Converts a number of the list. Platforms may leave out every field but the id and number. */
const toBilled = (
  record: { readonly id: number; readonly phone_number: string } & Readonly<Record<string, unknown>>,
): Listed => ({
  id: record.id,
  phone_number: record.phone_number,
  nickname: (record.nickname as string | null | undefined) ?? null,
  type: String(record.type ?? 'unknown'),
  price_usd: typeof record.price === 'number' ? record.price : null,
  status: statusOf(record),
  next_charge_at: (record.renews_at as string | null | undefined) ?? null,
  ends_at: (record.ends_at as string | null | undefined) ?? null,
})

const statusOf = (record: Readonly<Record<string, unknown>>): Listed['status'] =>
  typeof record.ends_at === 'string'
    ? 'ending'
    : record.has_active_subscription === true
      ? 'active'
      : record.has_active_subscription === false
        ? 'none'
        : null
