import { waitingIdOf } from '../../../client/journal/outcome-detail.ts'
import type { Context } from '../../program/context.ts'
import { findBillableOperation } from '../../program/operations/billable-operations.ts'
import { toShownEntry } from '../../program/operations/operation-view.ts'

/** Operations of the journal of this machine, by endpoint. The summary has it as JSON: fields are added, not renamed. */
export interface JournalFigure {
  readonly endpoint: string
  readonly done: number
  /** Operations with an unknown outcome. */
  readonly unknown: number
  /** What the operations that were done cost in USD; null if the cost of one of them is not known. */
  readonly amount_usd: number | null
}

/** Counts the billable operations that this machine sent to the platform in a period of its time (milliseconds since 1970). */
export async function journalFigures(context: Context, since: number, until: number): Promise<JournalFigure[]> {
  const { baseUrl } = await context.settings()
  const figures = new Map<string, { done: number; unknown: number; millionths: number | null }>()
  for (const entry of (await context.journal()).list()) {
    if (entry.baseUrl.replace(/\/$/, '') !== baseUrl.value.replace(/\/$/, '')) continue
    const at = await context.platformTime(entry.at)
    if (at < since || at >= until) continue
    if (entry.state === 'refused' || entry.state === 'cancelled' || !findBillableOperation(entry)) continue
    // It cost nothing, and the journal does not learn when the platform starts it.
    if (waitingIdOf(entry) !== undefined) continue
    const figure = figures.get(entry.endpoint) ?? { done: 0, unknown: 0, millionths: 0 }
    figure[entry.state === 'done' ? 'done' : 'unknown']++
    const amount = entry.state === 'done' ? toShownEntry(entry).amount_usd : 0
    figure.millionths =
      figure.millionths === null || amount === null ? null : figure.millionths + Math.round(amount * 1_000_000)
    figures.set(entry.endpoint, figure)
  }
  return [...figures].map(([endpoint, { millionths, ...counts }]) => ({
    endpoint,
    ...counts,
    amount_usd: millionths === null ? null : millionths / 1_000_000,
  }))
}
