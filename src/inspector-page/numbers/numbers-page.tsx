import type { MoneyUnit } from '../../contract/values/money.ts'
import { platformNow } from '../app/clock-state.tsx'
import { route } from '../app/history.ts'
import { routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { account, isReadOnly, session } from '../data/session.ts'
import { amountText, relativeTime, shownAt, words } from '../data/values.ts'
import { Badge } from '../parts/badge.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { PageHead, Section } from '../parts/fields.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { BillingFigures } from './billing-figures.tsx'
import { BuyNumber } from './buy-number.tsx'
import { NumberDetail } from './number-detail.tsx'

/** Movement of an account's balance or card. */
interface LedgerEntry {
  readonly id: number
  readonly kind: string
  readonly unit: MoneyUnit
  readonly balance_after: number | null
  readonly reason: string
}

export interface OwnedNumber {
  readonly id: number
  readonly phone_number: string
  readonly nickname: string | null
  readonly type_label: string
  readonly country_code: string
  readonly region: string | null
  readonly sms_capable: boolean
  readonly has_active_subscription: boolean
  /** USD per month; missing or null without a subscription. */
  readonly price?: number | null
  readonly renews_at: string | null
  readonly ends_at: string | null
  readonly created_at: string
}

export const numbersPath = '/api/user/phone-numbers/all'

function Ledger() {
  const resource = useResource<{ data: readonly LedgerEntry[] }>(`/control/accounts/${account.value}/ledger`, [
    'ledger',
  ])
  return (
    <Section title="Ledger">
      <Loaded resource={resource} what="Loading the ledger">
        {(answer) => {
          const rows = answer.body.data.map((it, at) => ({ ...it, at })).toReversed()
          if (rows.length === 0) return <Empty title="No transactions" />
          return (
            <>
              <Table
                label="Transactions, newest first"
                rows={rows.slice(0, 200)}
                keyOf={(it) => it.id}
                columns={[
                  { title: 'Reason', cell: (it) => it.reason },
                  { title: 'Kind', cell: (it) => words(it.kind) },
                  {
                    title: 'Amount',
                    cell: (it) => amountText(shownAt(answer, `/data/${it.at}/amount`), it.unit),
                    isNumber: true,
                  },
                  {
                    title: 'Balance after',
                    cell: (it) =>
                      it.balance_after === null
                        ? ''
                        : amountText(shownAt(answer, `/data/${it.at}/balance_after`), it.unit),
                    isNumber: true,
                  },
                  { title: 'Time', cell: (it) => shownAt(answer, `/data/${it.at}/created_at`) },
                ]}
              />
              <CommandLine command={answer.command} />
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

function NumberList() {
  const resource = useResource<{ data: readonly OwnedNumber[] }>(numbersPath, ['number'])
  return (
    <>
      <PageHead title="Numbers and billing">{!isReadOnly.value && <BuyNumber />}</PageHead>
      <Loaded resource={resource} what="Loading numbers">
        {(answer) =>
          answer.body.data.length === 0 ? (
            <Empty title="No numbers" command="parley numbers search">
              Find one to buy:
            </Empty>
          ) : (
            <>
              <Table
                label="Numbers"
                rows={answer.body.data}
                keyOf={(it) => it.id}
                href={(it) => routePath('numbers', [it.id])}
                columns={[
                  { title: 'Number', cell: (_, at) => shownAt(answer, `/data/${at}/phone_number`) },
                  { title: 'Nickname', cell: (it) => it.nickname ?? '' },
                  { title: 'Type', cell: (it) => it.type_label },
                  { title: 'Region', cell: (it) => [it.region, it.country_code].filter(Boolean).join(', ') },
                  {
                    title: 'Per month',
                    cell: (it, at) => (it.price ? amountText(shownAt(answer, `/data/${at}/price`), 'usd') : ''),
                    isNumber: true,
                  },
                  {
                    title: 'Subscription',
                    cell: (it) => (
                      <Badge status={it.ends_at ? 'ended' : it.has_active_subscription ? 'active' : null} />
                    ),
                  },
                  {
                    title: 'Renews',
                    cell: (it, at) =>
                      it.renews_at
                        ? `${shownAt(answer, `/data/${at}/renews_at`)} (${relativeTime(it.renews_at, platformNow.value)})`
                        : '',
                  },
                ]}
              />
              <CommandLine command={answer.command} />
            </>
          )
        }
      </Loaded>
      <div class="gap" />
      {session.value?.mode === 'local' && (
        <>
          <BillingFigures />
          <Ledger />
        </>
      )}
    </>
  )
}

/** Numbers with their renewal, and the ledger of the account. */
export function NumbersPage() {
  const [id] = route.value.parts
  return id === undefined ? <NumberList /> : <NumberDetail key={id} id={Number(id)} />
}
