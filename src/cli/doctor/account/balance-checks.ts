import type { Call } from '../../../client/create-client.ts'
import { paginate } from '../../../client/paginate.ts'
import type { Endpoint } from '../../../contract/mechanics/endpoint.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { conversations } from '../../../contract/resources/conversations.ts'
import type { Context } from '../../context.ts'
import { usd } from '../../output/usd.ts'
import { type Finding, ok, warning } from '../finding.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Days over which costs are added up, and that a balance should last. */
const days = 7
/** Maximum number of calls, and of conversations, whose costs are added up: five requests each. */
const maxItems = 500

const hint =
  'Add credit in the billing settings of the platform. On a local platform: parley server accounts update <id> --top-up 10.'

/**
 * Warns about a balance that covers nothing, or less than the calls and conversations of the last seven days cost. The
 * platform does not report the price of the next one. `account` is the answer of `user.me`.
 */
export async function balanceFindings(context: Context, call: Call, account: object | undefined): Promise<Finding[]> {
  const { total_balance: balance } = (account ?? {}) as { readonly total_balance?: unknown }
  if (typeof balance !== 'number') return []
  const text = `The balance is ${usd(balance)}`
  if (balance <= 0) return [warning('balance', `${text}. Calls and messages are refused.`, hint)]
  const from = new Date(context.out.settings.now - days * dayMs).toISOString().slice(0, 10)
  const costs = await Promise.all([calls.list, conversations.list].map((list) => costOf(context, call, list, from)))
  const spent = costs.reduce((sum, it) => sum + it, 0)
  if (balance >= spent) return [ok('balance', `${text}.`)]
  const left = Math.floor((balance / spent) * days)
  const lasts = left < 1 ? 'less than a day' : left === 1 ? 'about 1 day' : `about ${left} days`
  return [
    warning(
      'balance',
      `${text} and lasts ${lasts}: calls and conversations of the last ${days} days cost ${usd(spent)}.`,
      hint,
    ),
  ]
}

/** Returns what the items of a list cost since a day, in USD; 0 if the platform does not report it. */
async function costOf({ system }: Context, call: Call, list: Endpoint, from: string): Promise<number> {
  let sum = 0
  try {
    const items = paginate<Endpoint, { readonly total_cost?: unknown; readonly created_at?: unknown }>(
      call,
      list,
      { date_from: from } as never,
      { limit: maxItems, signal: system.signal },
    )
    for await (const { total_cost: cost, created_at: created } of items) {
      // A platform may ignore the filter.
      if (typeof cost === 'number' && String(created) >= from) sum += cost
    }
  } catch (error) {
    if (system.signal.aborted) throw error
  }
  return sum
}
