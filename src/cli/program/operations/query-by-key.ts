import type { JournalEntry } from '../../../client/journal/open-operations.ts'
import type { Context } from '../context.ts'
import type { BillableOperation } from './billable-operations.ts'
import { outcomeFailure } from './outcome-failure.ts'
import { chargeDetail } from './run-with-key.ts'
import { isInFlight, isKeyRetained, unknownForNow, type Verdict } from './verdict.ts'

/**
 * Asks a platform with idempotency for its response to the key of an entry, or lets it finish a started operation.
 * Starts no new operation.
 */
export async function queryByKey(
  context: Context,
  entry: JournalEntry,
  { endpoint, noun, summarize, findOutcome, findCost }: BillableOperation,
): Promise<Verdict> {
  try {
    const answer = await context.call(endpoint, entry.input, {
      idempotencyKey: entry.idempotencyKey,
      isOutcomeQuery: true,
    })
    const charge = chargeDetail(await context.journal(), entry, answer)
    // What it cost is only recorded, so that a failed read does not change the outcome.
    const costUsd = charge.costUsd ?? (await findCost?.(context, entry).catch(() => undefined))
    return {
      state: 'done',
      detail: {
        reconciled: `The ${noun} was carried out.`,
        ...summarize(answer as never),
        ...charge,
        ...(costUsd !== undefined && { costUsd }),
      },
    }
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
