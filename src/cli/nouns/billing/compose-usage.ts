import type { UsageGroup, UsageRow } from '../../../contract/resources/billing.ts'
import { monthOf } from '../../../contract/values/usage-forecast.ts'
import type { Context } from '../../program/context.ts'
import { type PaidItem, readPaidItems } from './paid-items.ts'

const keysOf: Readonly<Record<UsageGroup, (item: PaidItem) => string | null>> = {
  day: (it) => it.day,
  assistant: (it) => it.assistant,
  campaign: (it) => it.campaign,
  kind: (it) => it.kind,
}

/** Adds up the costs of calls and conversations, for platforms that have no ledger to read. */
export async function composeUsage(
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
