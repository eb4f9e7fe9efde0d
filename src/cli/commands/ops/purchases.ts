import type { Journal, JournalEntry } from '../../../client/journal.ts'
import { numbers } from '../../../contract/numbers.ts'
import type { Context } from '../../context.ts'
import { isSettling } from './view.ts'

export const isPurchase = (it: JournalEntry): boolean => it.endpoint === numbers.buy.name

/** Settles purchases by the list of numbers. */
export async function reconcilePurchases(context: Context, journal: Journal, entries: readonly JournalEntry[]): Promise<void> {
  const owned = new Set((await context.call(numbers.list, {})).data.map((it) => it.phone_number))
  for (const entry of entries) {
    const number = (entry.input as { phone_number: string }).phone_number
    if (owned.has(number)) journal.settle(entry.id, 'done', { reconciled: 'The number is on the account.' })
    else if (!isSettling(context, entry)) journal.settle(entry.id, 'refused', { reconciled: 'The number is not on the account.' })
  }
}
