import {
  estimateText,
  amountText as formattedAmount,
  type MoneyUnit,
  paidFromOf,
  type UsageKind,
} from '../../../contract/values/money.ts'
import { stateText } from '../../../contract/values/states.ts'
import { platformNow } from '../app/clock-state.tsx'
import { routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { amountText, shownAt } from '../data/values.ts'
import { CommandLine } from '../parts/command-line.tsx'
import { Fields, Section } from '../parts/fields.tsx'
import { Sparkline } from '../parts/plot.tsx'
import { Loaded } from '../parts/states.tsx'
import { amountsOf, lastDays, totalOf, type UsageDay } from './usage-days.ts'

/** Copy of the fields of `billing.summary` (contract/resources/billing.ts) that the page shows. */
interface Summary {
  readonly balance: number | null
  readonly unit: MoneyUnit
  readonly month: {
    readonly kinds: readonly { readonly kind: UsageKind; readonly unit: MoneyUnit; readonly charges: number }[]
  }
  readonly forecast: {
    readonly days_left: number | null
    readonly average_per_day: number | null
    readonly month_charged: number | null
    readonly month_card_usd: number | null
  }
}

const changing = ['ledger', 'number', 'clock']
/** Days of the plot. */
const plottedDays = 30

/** The balance of the account, in its unit, and how long it lasts. `to` is the page it leads to. */
export function Balance({ to }: { to?: string }) {
  const summary = useResource<{ data: Summary }>('/api/user/billing/summary', changing)
  // A platform that does not summarize its billing does not say the unit either.
  const me = useResource<{ total_balance: number }>(summary.failure ? '/api/user/me' : null, ['ledger'])
  const known = summary.answer?.body.data
  const balance = known ? known.balance : me.answer?.body.total_balance
  if (balance === null || balance === undefined) return null
  const days = known?.forecast.days_left ?? null
  return (
    <div class="tile">
      <span class="tile-title">Balance</span>
      <b>{formattedAmount(balance, known?.unit ?? null)}</b>
      {days !== null && <span class="muted">lasts about {Math.floor(days)} days</span>}
      {to !== undefined && <a href={routePath(to)}>Numbers and billing</a>}
    </div>
  )
}

/** The figures of `parley billing summary`. */
export function BillingFigures() {
  const resource = useResource<{ data: Summary }>('/api/user/billing/summary', changing)
  return (
    <Section title="This month">
      <Loaded resource={resource} what="Loading the billing summary">
        {(answer) => {
          const { unit, month, forecast } = answer.body.data
          const amountAt = (path: string, of = unit): string => amountText(shownAt(answer, `/data/${path}`), of)
          const chargedText = (path: string, of: MoneyUnit, payer: ReturnType<typeof paidFromOf>): string => {
            const parts = month.kinds.flatMap((kind, at) =>
              paidFromOf(kind.kind) === payer
                ? [`${stateText(kind.kind)} ${amountAt(`month/kinds/${at}/amount`, kind.unit)}`]
                : [],
            )
            return `${amountAt(path, of)}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`
          }
          const lasts = forecast.days_left === null ? '' : `, lasts about ${Math.floor(forecast.days_left)} days`
          return (
            <>
              <Fields
                items={[
                  ['Balance', `${amountAt('balance')}${lasts}`],
                  ['Charged to balance', chargedText('month/charged', unit, 'balance')],
                  ['Charged to card', chargedText('month/card_usd', 'usd', 'card')],
                  ['Added to balance', amountAt('month/topped_up')],
                  ['Subscriptions per month', amountAt('subscriptions/monthly_usd', 'usd')],
                  ['Next charge', shownAt(answer, '/data/subscriptions/next_charge_at')],
                  ['Average per day', estimateText(forecast.average_per_day, unit)],
                  ['Forecast of the month', estimateText(forecast.month_charged, unit)],
                  ['Card charges of the month', estimateText(forecast.month_card_usd, 'usd')],
                ]}
              />
              <UsagePlot unit={unit} />
              <CommandLine command={answer.command} />
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

/** What was charged to the balance by day, and to the card in total: the amounts of `parley billing usage`. */
function UsagePlot({ unit }: { unit: MoneyUnit }) {
  const days = lastDays(platformNow.value, plottedDays)
  const path = `/api/user/billing/usage?by=day&since=${days[0]}T00:00:00Z`
  const rows = useResource<{ data: readonly UsageDay[] }>(path, changing).answer?.body.data
  if (!rows) return null
  const charged = amountsOf(rows, 'balance', days)
  const text = (amounts: readonly number[], of: MoneyUnit): string => amountText(String(totalOf(amounts)), of)
  return (
    <div class="plot">
      <Sparkline values={charged.map((it) => Math.max(0, it))} />
      <p class="muted">
        Charged to the balance by day, from {days[0]} to {days.at(-1)} (UTC): {text(charged, unit)} in total. Charged to
        the card: {text(amountsOf(rows, 'card', days), 'usd')}.
      </p>
    </div>
  )
}
