import { ClientFailure } from '../../../client/failure.ts'
import type { JournalEntry } from '../../../client/journal.ts'
import type { Context } from '../../context.ts'
import type { Spend } from './spends.ts'
import { isSettling, notKnownYet, type Verdict } from './verdict.ts'

/** Asks a platform that honours idempotency keys what it answered to the key of an entry, or has it finish what it had begun. Nothing new is begun. */
export async function recall(context: Context, entry: JournalEntry, { endpoint, noun, kept }: Spend): Promise<Verdict> {
  try {
    const answer = await context.call(endpoint, entry.input as never, { idempotencyKey: entry.idempotencyKey, recall: true })
    return { state: 'done', detail: { reconciled: `The ${noun} went through.`, ...kept(answer as never) } }
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.status === undefined || error.exit === 'auth' || error.exit === 'rate_limited') throw error
    if (error.code === 'idempotency_unknown' && !isSettling(context, entry))
      return { state: 'refused', detail: { reconciled: `The platform knows of no such ${noun}.` } }
    if (error.exit === 'unknown' || error.code.startsWith('idempotency_')) return notKnownYet(context, entry)
    return { state: 'refused', detail: { reconciled: `The platform refused the ${noun}.`, code: error.code, message: error.message } }
  }
}
