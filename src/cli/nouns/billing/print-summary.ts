import type { BillingSummary, UsageRow } from '../../../contract/resources/billing.ts'
import { amountText, estimateText, paidFromOf, usd } from '../../../contract/values/money.ts'
import { stateText } from '../../../contract/values/states.ts'
import type { Context } from '../../program/context.ts'
import type { Column, View } from '../../program/output/format.ts'
import { describeTime } from '../../program/output/time.ts'
import { safeLine } from '../../program/terminal/safe-text.ts'
import type { JournalFigure } from './journal-figures.ts'

/** Printed summary. `journal` is null where the platform reports everything. Scripts read it as JSON: fields and words are added, not renamed. */
export type ShownSummary = BillingSummary & { readonly journal: readonly JournalFigure[] | null }

const unknown = 'unknown'

/** View of a summary; the columns are those of `--fields`. */
export const summaryView: View<ShownSummary> = {
  id: (it) => it.month.since.slice(0, 7),
  columns: [
    { key: 'balance', title: 'Balance', priority: 1 },
    { key: 'forecast.days_left', title: 'Days left', priority: 1 },
  ],
  empty: '',
}

/** Prints a summary for people, one line for each figure. */
export async function printSummary(context: Context, summary: ShownSummary): Promise<void> {
  const { out } = context
  if (!out.isForPeople) return out.record(summary, { view: summaryView })
  const entries = summaryLines(summary)
  // Only people get these lines: programs have got the record above, whose fields do not have these keys.
  const columns = entries.map(
    ([title], n): Column<Record<string, string>> => ({ key: `line_${n}`, title: safeLine(title), priority: 1 }),
  )
  await out.record(Object.fromEntries(entries.map(([, text], n) => [`line_${n}`, text])), {
    view: { id: () => summary.month.since.slice(0, 7), columns, empty: '' },
  })
}

type Line = readonly [title: string, text: string]

function summaryLines(summary: ShownSummary): Line[] {
  const { month, forecast, subscriptions, unit, sources } = summary
  const isLedger = sources.month === 'ledger'
  const forecastUnit = isLedger ? unit : 'usd'
  const origin = isLedger ? '' : ' (from calls and conversations)'
  const partsOf = (payer: UsageRow['paid_from']): Line[] =>
    month.kinds
      .filter((it) => paidFromOf(it.kind) === payer)
      .map((charge) => [
        `  ${stateText(charge.kind)}`,
        `${amountText(charge.amount, charge.unit)}, ${charge.charges} ${charge.charges === 1 ? 'charge' : 'charges'}${origin}`,
      ])
  return [
    ['Balance', `${amountText(summary.balance, unit)}${lastsText(forecast.days_left)}`],
    ['Payment method', summary.has_payment_method === null ? unknown : summary.has_payment_method ? 'on file' : 'none'],
    ['Month', `${month.since.slice(0, 10)} to ${month.until.slice(0, 10)} UTC`],
    ['Charged to balance', amountText(month.charged, unit)],
    ...partsOf('balance'),
    ['Charged to card', amountText(month.card_usd, 'usd')],
    ...partsOf('card'),
    ['Added to balance', amountText(month.topped_up, unit)],
    ...summary.numbers.map((number): Line => [number.phone_number, numberText(number)]),
    ['Subscriptions', subscriptionText(subscriptions)],
    [
      'Average per day from balance',
      `${estimateText(forecast.average_per_day, forecastUnit)} over ${forecast.basis_days} days${origin}`,
    ],
    ['Forecast of the month from balance', `${estimateText(forecast.month_charged, forecastUnit)}${origin}`],
    ['Forecast of the month from card', estimateText(forecast.month_card_usd, 'usd')],
    ...(summary.limits.length === 0
      ? [['Limits', unknown] as const]
      : summary.limits.map((limit): Line => [limitTitle(limit), limitText(limit)])),
    ...(summary.journal ?? []).map(
      (figure): Line => [
        `Sent from here: ${figure.endpoint}`,
        `${figure.done} done${figure.done > 0 ? ` for ${figure.amount_usd === null ? 'an unknown amount' : usd(figure.amount_usd)}` : ''}${figure.unknown > 0 ? `, ${figure.unknown} with an unknown outcome` : ''} (operations journal)`,
      ],
    ),
  ]
}

const lastsText = (days: number | null): string =>
  days === null
    ? ''
    : days >= 10_000
      ? ', lasts more than 10000 days'
      : `, lasts about ${days < 10 ? days : Math.floor(days)} days`

function numberText(number: BillingSummary['numbers'][number]): string {
  const price =
    number.price_usd === null
      ? 'price unknown'
      : number.status === 'none'
        ? 'no subscription'
        : `${usd(number.price_usd)}/month`
  const next = number.ends_at
    ? `, ends ${describeTime(number.ends_at)}`
    : number.next_charge_at
      ? `, next charge ${describeTime(number.next_charge_at)}`
      : number.status === 'none'
        ? ''
        : ', next charge unknown'
  return `${number.nickname ? `${number.nickname}, ` : ''}${price}${next}${number.status === 'past_due' ? ', payment overdue' : ''}`
}

function subscriptionText(subscriptions: BillingSummary['subscriptions']): string {
  if (subscriptions.active === null) return unknown
  const states = [
    `${subscriptions.active} active`,
    `${subscriptions.past_due} past due`,
    `${subscriptions.ending} ending`,
  ]
  const next =
    subscriptions.next_charge_at === null ? '' : `, next charge ${describeTime(subscriptions.next_charge_at)}`
  return `${states.join(', ')}, ${amountText(subscriptions.monthly_usd, 'usd')}/month by card${next}`
}

type Limit = BillingSummary['limits'][number]

const limitTitle = ({ limit, subject }: Limit): string =>
  limit === 'campaigns' ? 'Campaigns' : `Recipients in 24 hours of ${subject}`

const limitText = ({ used, max, state }: Limit): string =>
  `${used ?? unknown} of ${state === 'limited' ? max : state === 'unlimited' ? 'unlimited' : 'an unknown limit'}`
