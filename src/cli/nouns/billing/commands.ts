import { billing, type UsageGroup, type UsageRow } from '../../../contract/resources/billing.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { user } from '../../../contract/resources/user.ts'
import { amountText } from '../../../contract/values/money.ts'
import { command } from '../../program/commandline/command.ts'
import { previewRequest } from '../../program/connection/send-request.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { parsePlatformTime } from '../../program/input/time-flag.ts'
import type { View } from '../../program/output/form.ts'
import { applyLimit } from '../../program/output/print-list.ts'
import { itemShape } from '../../program/output/tables/item-shape.ts'
import { composeSummary } from './compose-summary.ts'
import { composeUsage } from './compose-usage.ts'
import { printSummary, summaryView } from './print-summary.ts'

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
    const since = await parsePlatformTime(context, flags.since ?? input.since, '--since')
    const until = await parsePlatformTime(context, flags.until ?? input.until, '--until')
    if (since !== undefined && until !== undefined && until <= since) throw usageError('--until must be after --since.')
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
  const { form, terminal, fields } = context.out.settings
  const view = viewOf(by, rows, (terminal && form === 'table') || fields !== undefined)
  await context.out.list(applyLimit(context, rows), itemShape({ endpoint: billing.usage, view: view }))
}
