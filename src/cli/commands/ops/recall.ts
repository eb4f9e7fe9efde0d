import { ClientFailure } from '../../../client/failure.ts'
import type { Journal, JournalEntry } from '../../../client/journal.ts'
import type { Endpoint } from '../../../contract/endpoint.ts'
import { user } from '../../../contract/user.ts'
import type { Context } from '../../context.ts'
import { isSettling } from './view.ts'

/** Whether the platform tells what it answered to a key: one of this program does, and says so by marking what it assumes. */
export async function recalls(context: Context): Promise<boolean> {
  return (await context.call.raw(user.me, {})).assumed !== undefined
}

/** Settles an entry by what the platform answered to its key, or finishes what it had begun. Nothing new is begun. */
export async function recall(
  context: Context,
  journal: Journal,
  entry: JournalEntry,
  endpoint: Endpoint,
  thing: string,
  told: (answer: never) => object,
): Promise<void> {
  try {
    const answer = await context.call(endpoint, entry.input as never, { idempotencyKey: entry.idempotencyKey, recall: true })
    journal.settle(entry.id, 'done', { reconciled: `The ${thing} went through.`, ...told(answer as never) })
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.status === undefined || error.exit === 'auth' || error.exit === 'rate_limited') throw error
    if (error.code === 'idempotency_unknown') {
      if (!isSettling(context, entry)) journal.settle(entry.id, 'refused', { reconciled: `The platform knows of no such ${thing}.` })
    } else if (error.exit !== 'unknown' && !error.code.startsWith('idempotency_'))
      journal.settle(entry.id, 'refused', { reconciled: `The platform refused the ${thing}.`, code: error.code, message: error.message })
  }
}
