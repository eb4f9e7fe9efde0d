import type { JournalEntry } from '../../client/journal/journal.ts'
import type { Context } from '../context.ts'

/** The result of resolving an entry with an unknown outcome. */
export type Verdict =
  | { readonly state: 'done' | 'refused'; readonly detail: object }
  | {
      readonly state: 'unknown'
      readonly detail?: object
      /** Whether another try cannot find the outcome: then the user decides. */
      readonly isFinal: boolean
      /** The evidence in a sentence. */
      readonly note?: string
    }

/** A request without a response may be in progress for this long (ms). */
const inFlightMs = 120_000
/** A platform may provision or show a result this late (ms). After it, the outcome stays unknown. */
const maxAgeMs = 3_600_000

const ageOf = ({ world }: Context, { at }: JournalEntry): number => world.now() - Date.parse(at)

export const isInFlight = (context: Context, entry: JournalEntry): boolean => ageOf(context, entry) <= inFlightMs

/** Unknown now; another try makes sense only while the result may be late. */
export const unknownForNow = (context: Context, entry: JournalEntry, detail?: object): Verdict => ({
  state: 'unknown',
  isFinal: ageOf(context, entry) > maxAgeMs,
  ...(detail && { detail }),
})
