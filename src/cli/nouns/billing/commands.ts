// Commands of `billing`, which only read. A Parley server reports the figures; for other platforms they are composed here
// from lists, in the same shape of the contract, because scripts read both alike.

import { type BillingSummary, billing, type UsageGroup, type UsageRow } from '../../../contract/resources/billing.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { numbers } from '../../../contract/resources/numbers.ts'
import { user } from '../../../contract/resources/user.ts'
import { monthOf } from '../../../contract/values/calendar-periods.ts'
import { amountText, paidFromOf } from '../../../contract/values/money.ts'
import { basisStart, forecastUsage } from '../../../contract/values/usage-forecast.ts'
import { command } from '../../program/commandline/command.ts'
import { previewRequest } from '../../program/connection/send-request.ts'
import type { Context } from '../../program/context.ts'
import { parsePlatformPeriod } from '../../program/input/time-flag.ts'
import type { View } from '../../program/output/format.ts'
import { applyLimit } from '../../program/output/print-list.ts'
import { itemShape } from '../../program/output/tables/item-shape.ts'
import { type PaidItem, readPaidItems } from './paid-items.ts'
import { printSummary, summaryView } from './print-summary.ts'

/**
 * Builds a summary from what a platform without the capability reports: the balance, the list of numbers, and the costs
 * of calls and conversations. Everything else is null.
 */
async function composeSummary(context: Context): Promise<BillingSummary> {
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

/** Formats a time with six decimals, as the platform does. */
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

const keysOf: Readonly<Record<UsageGroup, (item: PaidItem) => string | null>> = {
  day: (it) => it.day,
  assistant: (it) => it.assistant,
  campaign: (it) => it.campaign,
  kind: (it) => it.kind,
}

/** Adds up the costs of calls and conversations, for platforms that have no ledger to read. */
async function composeUsage(
  context: Context,
  by: UsageGroup,
  since: number | undefined,
  until: number | undefined,
): Promise<{ readonly rows: readonly UsageRow[]; readonly isComplete: boolean }> {
  const { now } = context.out.settings
  const { items, isComplete } = await readPaidItems(context, since ?? monthOf(now).start, until ?? now + 1)
  const rows = new Map<string | null, { millionths: number; charges: number }>()
  for (const item of items) {
    const key = keysOf[by](item)
    const row = rows.get(key) ?? { millionths: 0, charges: 0 }
    row.millionths += Math.round(item.amountUsd * 1_000_000)
    if (item.amountUsd > 0) row.charges++
    rows.set(key, row)
  }
  const named = by === 'assistant' || by === 'campaign'
  // Lists of other platforms have no ids of assistants and campaigns here: key and name are both the name.
  const all = [...rows].map(
    ([key, { millionths, charges }]): UsageRow => ({
      key,
      name: named ? key : null,
      unit: 'usd',
      amount: millionths / 1_000_000,
      charges,
      paid_from: 'balance',
    }),
  )
  all.sort((a, b) => (by === 'day' ? String(a.key).localeCompare(String(b.key)) : b.amount - a.amount))
  return { rows: all, isComplete }
}

export const summary = command({
  endpoint: billing.summary,
  examples: ['', '--json', '--json --fields balance,unit,forecast'],
  notes:
    'Months are calendar months in UTC. Charges are shown less refunds. The forecast adds the average of the last 30 days for each remaining day.\nOn a platform that does not report billing, figures come from the lists of numbers, calls and conversations, and from the operations journal of this machine. Each is marked with its source, and what is unknown is null in JSON.',
  view: summaryView,
  async run(context) {
    const { journalFigures } = await import('./journal-figures.ts')
    if (await context.supports('billing')) {
      if (await previewRequest(context, billing.summary, {})) return
      const { data } = await context.call(billing.summary, {})
      return printSummary(context, { ...data, journal: null })
    }
    // A preview shows only the first of several requests.
    if (await previewRequest(context, user.me, {})) return

    const composed = await context.progress.showWhile('Reading calls and conversations', composeSummary(context))
    const { month } = composed
    const journal = await journalFigures(context, Date.parse(month.since), Date.parse(month.until))
    await printSummary(context, { ...composed, journal })
    await context.notes.note(
      'This platform does not report billing. Figures are from its lists and from the operations journal of this machine.',
    )
  },
})

/** Cells of the longest bar. */
const barCells = 24

/** View of usage. Bars are drawn on terminals, and where --fields names them. */
const viewOf = (by: UsageGroup, rows: readonly UsageRow[], hasBars: boolean): View<UsageRow> => ({
  id: (it) => it.key ?? 'none',
  columns: [
    {
      key: (it) => (it.key === null ? `no ${by}` : (it.name ?? it.key)),
      field: 'key',
      title: by === 'kind' ? 'Usage kind' : by.charAt(0).toUpperCase() + by.slice(1),
      priority: 1,
      flexible: true,
    },
    { key: (it) => amountText(it.amount, it.unit), field: 'amount', title: 'Amount', priority: 1, align: 'right' },
    { key: 'charges', title: 'Charges', priority: 3, kind: 'number' },
    { key: 'paid_from', title: 'Paid from', priority: 3 },
    ...(hasBars ? [{ key: (it: UsageRow) => barOf(it, rows), title: 'Share', priority: 4 } as const] : []),
  ],
  empty: 'No usage in this period.',
})

/** Draws the bar of a row: the largest amount of what paid for it has the full length. */
function barOf({ paid_from, amount }: UsageRow, rows: readonly UsageRow[]): string {
  const largest = Math.max(...rows.filter((it) => it.paid_from === paid_from).map((it) => it.amount))
  return amount <= 0 || largest <= 0 ? '' : '#'.repeat(Math.max(1, Math.round((amount / largest) * barCells)))
}

export const usage = command({
  endpoint: billing.usage,
  filledFields: ['since', 'until'],
  flags: [
    {
      flags: '--since <time>',
      describe: 'Only charges at or after a time, or within the last 7d (default: the month)',
      field: 'since',
    },
    { flags: '--until <time>', describe: 'Only charges before this time', field: 'until' },
  ],
  examples: ['', '--by assistant --since 7d', '--by kind -o csv', '--by campaign --since 2026-08-01 -o ndjson'],
  notes:
    'Days are in UTC. Amounts are charges less refunds, in the unit of the balance; phone numbers are paid in USD with the payment method.\nOn a platform that does not report billing, the costs of its calls and conversations are added up.',
  view: viewOf('day', [], true),
  async run(context, { input, flags }) {
    const by = (input.by ?? 'day') as UsageGroup
    const { since, until } = await parsePlatformPeriod(context, {
      since: flags.since ?? input.since,
      until: flags.until ?? input.until,
    })
    if (!(await context.supports('billing'))) return printComposed(context, by, since, until)
    const query = {
      by,
      ...(since !== undefined && { since: new Date(since).toISOString() }),
      ...(until !== undefined && { until: new Date(until).toISOString() }),
    }
    if (await previewRequest(context, billing.usage, query)) return
    await print(context, by, (await context.call(billing.usage, query)).data)
  },
})

async function printComposed(
  context: Context,
  by: UsageGroup,
  since: number | undefined,
  until: number | undefined,
): Promise<void> {
  if (await previewRequest(context, calls.list, {})) return
  const composing = composeUsage(context, by, since, until)
  const { rows, isComplete } = await context.progress.showWhile('Reading calls and conversations', composing)
  await print(context, by, rows)
  await context.notes.note(
    'This platform does not report billing. Amounts are the costs of its calls and conversations, by the day they started.',
  )
  if (!isComplete)
    await context.notes.warn('Not all calls and conversations could be read with their costs. Amounts are incomplete.')
}

async function print(context: Context, by: UsageGroup, rows: readonly UsageRow[]): Promise<void> {
  const { format, terminal, fields } = context.out.settings
  const view = viewOf(by, rows, (terminal && format === 'table') || fields !== undefined)
  await context.out.list(applyLimit(context, rows), itemShape({ endpoint: billing.usage, view: view }))
}
