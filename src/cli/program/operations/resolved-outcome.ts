import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { isInProgress, type JournalEntry } from '../../../client/journal/open-operations.ts'
import type { Context } from '../context.ts'

/** The result of resolving an entry with an unknown outcome. */
export type ResolvedOutcome =
  | { readonly state: 'done' | 'refused'; readonly detail: object }
  | {
      readonly state: 'unknown'
      readonly detail?: object
      /** Whether another attempt cannot find the outcome, so that the user decides. */
      readonly isFinal: boolean
      /** The evidence in a sentence. */
      readonly note?: string
    }

/** Milliseconds for which a request without a response may be in progress. finish-update.ts prints it, and decides by it, too. */
export const inFlightMs = 120_000
/** Milliseconds after which a platform no longer provisions or shows a result. Then the outcome stays unknown. */
const maxAgeMs = 3_600_000

/** Milliseconds for which a platform certainly knows an idempotency key: less than the 30 days after which it deletes it (store/runtime/idempotency-keys.ts). */
const knownKeyMs = 29 * 24 * 3_600_000

const ageOf = ({ system }: Context, { at }: JournalEntry): number => system.now() - Date.parse(at)

/** Returns whether the request of an entry may still be in progress. */
export const isInFlight = (context: Context, entry: JournalEntry): boolean =>
  ageOf(context, entry) <= inFlightMs || isInProgress(entry, context.system)

/** Returns whether a platform that does not know the key of an entry has not received its request. */
export const isKeyRetained = (context: Context, entry: JournalEntry): boolean => ageOf(context, entry) < knownKeyMs

/** Returns an unknown outcome. Another attempt makes sense only while the result may still appear. */
export const unknownForNow = (context: Context, entry: JournalEntry, detail?: object): ResolvedOutcome => ({
  state: 'unknown',
  isFinal: ageOf(context, entry) > maxAgeMs,
  ...(detail && { detail }),
})

/**
 * Returns the failure with which a platform answered an outcome query.
 *
 * @throws the error itself if it says nothing about the outcome: no response, a rejected key or a rate limit
 */
export function outcomeFailure(error: unknown): ClientFailure {
  if (
    !(error instanceof ClientFailure) ||
    error.status === undefined ||
    error.exit === 'auth' ||
    error.exit === 'rate_limited'
  )
    throw error
  return error
}
