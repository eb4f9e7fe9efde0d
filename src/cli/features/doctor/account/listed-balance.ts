import type { Call } from '../../../../client/create-client.ts'
import { paginate } from '../../../../client/paginate.ts'
import type { Endpoint } from '../../../../contract/endpoint/endpoint.ts'
import { calls } from '../../../../contract/resources/calls.ts'
import { conversations } from '../../../../contract/resources/conversations.ts'
import { amountText, usd } from '../../../../contract/values/money.ts'
import { type Finding, ok, warning } from '../finding.ts'

/** Where the figures of an account come from. */
export interface BillingScope {
  readonly call: Call
  readonly signal: AbortSignal
  /** Time of the platform in milliseconds since 1970. */
  readonly now: number
  /** The platform reports billing. */
  readonly isOffered: boolean
}

/** Instruction that adds credit. */
export const topUpHint =
  'Add credit in the billing settings of the platform. On a local platform: parley server accounts update <id> --top-up 10.'

const dayMs = 24 * 60 * 60 * 1000
/** Days over which costs are added up. */
const days = 7
/** Maximum number of calls, and of conversations, whose costs are added up: five requests each. */
const maxItems = 500

/**
 * Warns about a balance that covers nothing, or less than the calls and conversations of the last seven days cost. The
 * platform does not report the unit of the balance, so there is no number of days that it lasts.
 */
export async function listedBalanceFindings(scope: BillingScope, balance: number): Promise<Finding[]> {
  const text = `The balance is ${amountText(balance, null)}`
  if (balance <= 0) return [warning('balance', `${text}. Calls and messages are refused.`, topUpHint)]
  const from = new Date(scope.now - days * dayMs).toISOString().slice(0, 10)
  const costs = await Promise.all([calls.list, conversations.list].map((list) => costOf(scope, list, from)))
  const spent = costs.reduce((sum, it) => sum + it, 0)
  return [
    balance >= spent
      ? ok('balance', `${text}.`)
      : warning(
          'balance',
          `${text}. Calls and conversations of the last ${days} days cost ${usd(spent)}, so it may not last ${days} more days.`,
          topUpHint,
        ),
  ]
}

/** Returns what the items of a list cost since a day, in USD; 0 if the platform does not report it. */
async function costOf({ call, signal }: BillingScope, list: Endpoint, from: string): Promise<number> {
  let sum = 0
  try {
    const items = paginate<Endpoint, { readonly total_cost?: unknown; readonly created_at?: unknown }>(
      call,
      list,
      { date_from: from },
      { limit: maxItems, signal },
    )
    for await (const { total_cost: cost, created_at: created } of items) {
      // A platform may ignore the filter.
      if (typeof cost === 'number' && String(created) >= from) sum += cost
    }
  } catch (error) {
    if (signal.aborted) throw error
  }
  return sum
}
