import type { JournalEntry } from '../../client/journal/journal.ts'
import type { Context } from '../context.ts'
import type { BillableOperation } from './billable-operations.ts'
import { outcomeFailure } from './outcome-failure.ts'
import { isInFlight, isKeyRetained, unknownForNow, type Verdict } from './verdict.ts'

/**
 * Asks a platform with idempotency for its response to the key of an entry, or lets it finish a started operation.
 * Starts no new operation.
 */
export async function queryByKey(
  context: Context,
  entry: JournalEntry,
  { endpoint, noun, summarize, findOutcome }: BillableOperation,
): Promise<Verdict> {
  try {
    const answer = await context.call(endpoint, entry.input as never, {
      idempotencyKey: entry.idempotencyKey,
      isOutcomeQuery: true,
    })
    return { state: 'done', detail: { reconciled: `The ${noun} was carried out.`, ...summarize(answer as never) } }
  } catch (caught) {
    const error = outcomeFailure(caught)
    // The platform may have deleted the key, so only results that it shows are evidence.
    if (error.code === 'idempotency_unknown' && !isKeyRetained(context, entry)) return findOutcome(context, entry)
    if (error.code === 'idempotency_unknown' && !isInFlight(context, entry))
      return { state: 'refused', detail: { reconciled: `The platform has no such ${noun}.` } }
    if (error.exit === 'unknown' || error.code.startsWith('idempotency_')) return unknownForNow(context, entry)
    return {
      state: 'refused',
      detail: { reconciled: `The platform refused the ${noun}.`, code: error.code, message: error.message },
    }
  }
}
