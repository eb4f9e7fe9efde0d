import { type MoneyUnit, usd } from '../../../contract/values/money.ts'
import { numberState } from '../../../contract/values/states.ts'
import { platformNow, When } from '../app/clock-state.tsx'
import { route } from '../app/history.ts'
import { conversationPath, phoneIn, phonePath, routePath } from '../app/routes.ts'
import { useResource } from '../data/resource.ts'
import { account, isReadOnly, session } from '../data/session.ts'
import { amountText, relativeTime, shownAt, words } from '../data/values.ts'
import { CommandLine } from '../parts/command-line.tsx'
import { PageHead, Section } from '../parts/fields.tsx'
import { Cut } from '../parts/list-controls.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { Balance, BillingFigures } from './billing-figures.tsx'
import { BuyNumber } from './buy-number.tsx'
import { NumberDetail, NumberState, numbersPath, type OwnedNumber } from './number-detail.tsx'

/** Movement of an account's balance or card. */
interface LedgerEntry {
  readonly id: number
  readonly kind: string
  readonly unit: MoneyUnit
  readonly balance_after: number | null
  readonly reason: string
  readonly created_at: string
}

const shownTransactions = 200

/**
 * Returns where a transaction leads: the conversation or own number it names, or all entries of another number. It finds them in the
 * text that the platform stores for people (`reason` of a movement); a text without them has no link.
 */
function ledgerPath(reason: string, numbers: readonly OwnedNumber[]): string | null {
  const conversation = conversationPath(reason)
  if (conversation) return conversation
  const phone = phoneIn(reason)
  if (phone === undefined) return null
  const own = numbers.find((it) => it.phone_number === phone)
  return own ? routePath('numbers', [own.id]) : phonePath(phone)
}

function Ledger() {
  const numbers = useResource<{ data: readonly OwnedNumber[] }>(numbersPath, ['number']).answer?.body.data ?? []
  const resource = useResource<{ data: readonly LedgerEntry[] }>(`/control/accounts/${account.value}/ledger`, [
    'ledger',
  ])
  return (
    <Section title="Ledger">
      <Loaded resource={resource} what="Loading the ledger">
        {(answer) => {
          // The order of booking: each balance follows from the one below it.
          const rows = answer.body.data.map((it, at) => ({ ...it, at })).sort((a, b) => b.id - a.id)
          if (rows.length === 0) return <Empty title="No transactions" />
          return (
            <>
              <Table
                label="Transactions, newest first"
                find="transaction"
                rows={rows.slice(0, shownTransactions)}
                keyOf={(it) => it.id}
                href={(it) => ledgerPath(it.reason, numbers)}
                columns={[
                  { title: 'Reason', cell: (it) => it.reason },
                  {
                    title: 'Amount',
                    cell: (it) => amountText(shownAt(answer, `/data/${it.at}/amount`), it.unit),
                    isNumber: true,
                  },
                  { title: 'Time', cell: (it) => <When at={it.created_at} /> },
                  { title: 'Transaction', cell: (it) => words(it.kind) },
                  {
                    title: 'Balance after',
                    cell: (entry) =>
                      entry.balance_after === null
                        ? ''
                        : amountText(shownAt(answer, `/data/${entry.at}/balance_after`), entry.unit),
                    isNumber: true,
                  },
                ]}
              />
              <Cut at={shownTransactions} rows={rows.length} what="transactions" kind="ledger" />
              <CommandLine command={answer.command} />
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

/** What the numbers cost next, and which of them end. */
function NumberTiles({ numbers }: { numbers: readonly OwnedNumber[] }) {
  const renewing = numbers.filter((it) => it.renews_at !== null && it.renews_at !== undefined)
  const ending = numbers.filter((it) => numberState(it, platformNow.value) === 'ends')
  const next = renewing.toSorted((a, b) => Date.parse(a.renews_at ?? '') - Date.parse(b.renews_at ?? ''))[0]
  const total = renewing.reduce((sum, it) => sum + Math.round((it.price ?? 0) * 1e6), 0) / 1e6
  return (
    <div class="tiles">
      <Balance />
      {next && (
        <div class="tile">
          <span class="tile-title">Next charge</span>
          <b>{usd(next.price ?? 0)}</b>
          <a href={routePath('numbers', [next.id])}>
            {relativeTime(next.renews_at ?? '', platformNow.value)}: {next.phone_number}
          </a>
        </div>
      )}
      {renewing.length > 0 && (
        <div class="tile">
          <span class="tile-title">Per month</span>
          <b>{usd(total)}</b>
          <span class="muted">{renewing.length === 1 ? '1 number' : `${renewing.length} numbers`}</span>
        </div>
      )}
      {ending.length > 0 && (
        <div class="tile">
          <span class="tile-title">Numbers that end</span>
          <b>{ending.length}</b>
          {ending.map((number) => (
            <a key={number.id} href={routePath('numbers', [number.id])}>
              {number.phone_number}, {relativeTime(number.ends_at ?? '', platformNow.value)}
            </a>
          ))}
        </div>
      )}
    </div>
  )
}

/** The tiles of the page for another page. */
export function MoneyTiles() {
  const { answer } = useResource<{ data: readonly OwnedNumber[] }>(numbersPath, ['number'])
  return <NumberTiles numbers={answer?.body.data ?? []} />
}

function NumberList() {
  const resource = useResource<{ data: readonly OwnedNumber[] }>(numbersPath, ['number'])
  return (
    <>
      <PageHead title="Numbers and billing">{!isReadOnly.value && <BuyNumber />}</PageHead>
      <Loaded resource={resource} what="Loading numbers">
        {(answer) =>
          answer.body.data.length === 0 ? (
            <Empty title="No numbers" command="parley numbers buy">
              Choose "Buy a number…", or buy one in your terminal:
            </Empty>
          ) : (
            <>
              <NumberTiles numbers={answer.body.data} />
              <Table
                label="Numbers"
                rows={answer.body.data}
                keyOf={(it) => it.id}
                href={(it) => routePath('numbers', [it.id])}
                columns={[
                  { title: 'Number', cell: (_, at) => shownAt(answer, `/data/${at}/phone_number`) },
                  { title: 'State', cell: (it) => <NumberState of={it} />, isState: true },
                  { title: 'Nickname', cell: (it) => it.nickname ?? '' },
                  {
                    title: 'Per month',
                    cell: (it, at) => (it.price ? amountText(shownAt(answer, `/data/${at}/price`), 'usd') : ''),
                    isNumber: true,
                  },
                  { title: 'Renews', cell: (it) => <When at={it.renews_at} /> },
                  { title: 'Type', cell: (it) => it.type_label },
                  { title: 'Region', cell: (it) => [it.region, it.country_code].filter(Boolean).join(', ') },
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
