import type { Journal, JournalEntry } from '../../../client/journal.ts'
import type { Output } from '../../../contract/endpoint.ts'
import { numbers } from '../../../contract/numbers.ts'
import type { Context } from '../../context.ts'
import { recall, recalls } from './recall.ts'
import { isSettling } from './view.ts'

export const isPurchase = (it: JournalEntry): boolean => it.endpoint === numbers.buy.name

/** Settles purchases: a platform of ours is asked what it answered to their keys, any other one for the list of numbers. */
export async function reconcilePurchases(context: Context, journal: Journal, entries: readonly JournalEntry[]): Promise<void> {
  if (await recalls(context)) {
    for (const entry of entries) await recall(context, journal, entry, numbers.buy, 'purchase', toldOf)
    return
  }
  const owned = new Set((await context.call(numbers.list, {})).data.map((it) => it.phone_number))
  for (const entry of entries) {
    const number = (entry.input as { phone_number: string }).phone_number
    if (owned.has(number)) journal.settle(entry.id, 'done', { reconciled: 'The number is on the account.' })
    else if (!isSettling(context, entry)) journal.settle(entry.id, 'refused', { reconciled: 'The number is not on the account.' })
  }
}

const toldOf = ({ data }: Output<typeof numbers.buy>): object => ({ id: data.id, phone_number: data.phone_number })
