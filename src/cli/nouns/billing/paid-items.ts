import { paginate } from '../../../client/paginate.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { conversations } from '../../../contract/resources/conversations.ts'
import type { UsageKind } from '../../../contract/values/money.ts'
import type { Context } from '../../program/context.ts'
import { parseTime } from '../../program/output/time.ts'

/** Maximum number of calls, and of conversations, whose costs are read: 50 requests each. */
const maxItems = 5000

/** A call or conversation with its cost in USD. commands.ts adds up by these fields, because such a platform has no ledger. */
export interface PaidItem {
  readonly kind: UsageKind
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string
  readonly amountUsd: number
  readonly assistant: string | null
  readonly campaign: string | null
}

/** Calls and conversations of a period with their costs. Totals of an incomplete result are too low. */
interface PaidItems {
  readonly items: readonly PaidItem[]
  /** False if a list could not be read to its end, or lacks costs or readable times. */
  readonly isComplete: boolean
}

type Listed = Readonly<Record<string, unknown>>

/** Reads the calls and conversations that started in a period, with their costs. Times are milliseconds since 1970. */
export async function readPaidItems(context: Context, since: number, until: number): Promise<PaidItems> {
  const lists = await Promise.all([
    readList(context, calls.list, 'calls', since, until),
    readList(context, conversations.list, 'conversations', since, until),
  ])
  return { items: lists.flatMap((it) => it.items), isComplete: lists.every((it) => it.isComplete) }
}

async function readList(
  context: Context,
  list: Endpoint,
  kind: UsageKind,
  since: number,
  until: number,
): Promise<PaidItems> {
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
  const found: PaidItem[] = []
  const pages = paginate<Endpoint, Listed>(
    context.call,
    list,
    { date_from: dayOf(since), date_to: dayOf(until) },
    { limit: maxItems, signal: context.system.signal },
  )
  let isComplete = true
  for await (const charge of pages) {
    const at = parseTime(String(charge.created_at))
    if (at === undefined) isComplete = false
    // A platform may ignore the filter of days.
    if (at === undefined || at < since || at >= until) continue
    const cost = Number(charge.total_cost ?? Number.NaN)
    if (!Number.isFinite(cost)) isComplete = false
    else
      found.push({
        kind,
        day: dayOf(at),
        amountUsd: cost,
        assistant: textOrNull(charge.assistant_name),
        campaign: textOrNull(charge.campaign_name),
      })
  }
  return { items: found, isComplete: isComplete && !pages.hasMore }
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
