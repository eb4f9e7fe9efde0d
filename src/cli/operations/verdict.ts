import type { JournalEntry } from '../../client/journal/journal.ts'
import type { Context } from '../context.ts'

/** What was found out about an entry whose outcome was unknown. */
export type Verdict =
  | { readonly state: 'done' | 'refused'; readonly detail: object }
  | {
      readonly state: 'unknown'
      readonly detail?: object
      /** Whether asking again cannot find out more: then somebody has to decide. */
      readonly isFinal: boolean
      /** What was seen, for people. */
      readonly note?: string
    }

/** A request that nobody answered may be under way for this long (ms). */
const inFlightMs = 120_000
/** A platform may provision or show something this late (ms); after it, asking is given up. */
const maxAgeMs = 3_600_000

const ageOf = ({ world }: Context, { at }: JournalEntry): number => world.now() - Date.parse(at)

export const isInFlight = (context: Context, entry: JournalEntry): boolean => ageOf(context, entry) <= inFlightMs

/** Not known now: worth asking again while it may be late, and not after. */
export const unknownForNow = (context: Context, entry: JournalEntry, detail?: object): Verdict => ({
  state: 'unknown',
  isFinal: ageOf(context, entry) > maxAgeMs,
  ...(detail && { detail }),
})
