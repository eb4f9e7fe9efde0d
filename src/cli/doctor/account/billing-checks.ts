import { type BillingSummary, billing } from '../../../contract/resources/billing.ts'
import { user } from '../../../contract/resources/user.ts'
import { amountText, estimateText } from '../../../contract/values/money.ts'
import { type Finding, ok, warning } from '../finding.ts'
import { type BillingScope, listedBalanceFindings, topUpHint } from './listed-balance.ts'

/** Days that a balance should last at least, also if the next charge is earlier. */
const minDays = 7
const dayMs = 24 * 60 * 60 * 1000

const paymentHint =
  'Add a payment method in the billing settings of the platform. On a local platform: parley server accounts update <id> --payment-method pm_card_visa.'

/**
 * Warns about a balance that will not last until the next charges, and about renewals that cannot be paid. Without the
 * capability, it only says what the lists of the platform report.
 */
export async function billingFindings(scope: BillingScope): Promise<Finding[]> {
  const { call, signal, isOffered } = scope
  const summary = isOffered
    ? await call(billing.summary, {}, { signal }).then(
        ({ data }) => data,
        () => undefined,
      )
    : undefined
  signal.throwIfAborted()
  if (summary && summary.balance !== null)
    return [balanceFinding(summary, summary.balance), ...renewalFindings(summary)]
  const me: { readonly total_balance?: unknown } = await call(user.me, {}, { signal })
  return typeof me.total_balance === 'number' ? listedBalanceFindings(scope, me.total_balance) : []
}

function balanceFinding({ at, unit, forecast, subscriptions }: BillingSummary, balance: number): Finding {
  const text = `The balance is ${amountText(balance, unit)}`
  if (balance <= 0) return warning('balance', `${text}. Calls and messages are refused.`, topUpHint)
  const next = subscriptions.next_charge_at
  const daysToCharge = next === null ? 0 : (Date.parse(next) - Date.parse(at)) / dayMs
  const { days_left: days, average_per_day: average } = forecast
  if (days === null || days >= Math.max(minDays, daysToCharge)) return ok('balance', `${text}.`)
  const lasts = days < 1 ? 'less than a day' : `about ${days} ${days === 1 ? 'day' : 'days'}`
  const charge = next === null ? '' : ` The next charges are due ${next.slice(0, 10)}.`
  return warning('balance', `${text} and lasts ${lasts} at ${estimateText(average, unit)} per day.${charge}`, topUpHint)
}

function renewalFindings({ has_payment_method: hasMethod, subscriptions }: BillingSummary): Finding[] {
  const { active, past_due: overdue, monthly_usd: monthly, next_charge_at: next } = subscriptions
  const count = (active ?? 0) + (overdue ?? 0)
  if (count === 0) return []
  if (hasMethod === false)
    return [
      warning(
        'payment_method',
        `No payment method is on file. ${count} ${count === 1 ? 'number' : 'numbers'} (${amountText(monthly, 'usd')} per month) cannot be renewed${next === null ? '' : ` on ${next.slice(0, 10)}`}.`,
        paymentHint,
      ),
    ]
  return overdue
    ? [
        warning(
          'payment_method',
          `The renewal of ${overdue} ${overdue === 1 ? 'number' : 'numbers'} was declined. Numbers that are not paid are released.`,
          paymentHint,
        ),
      ]
    : []
}
