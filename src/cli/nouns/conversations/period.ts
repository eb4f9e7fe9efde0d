import type { Context } from '../../program/context.ts'
import { parsePlatformPeriod } from '../../program/input/time-flag.ts'
import { recordTime } from '../../program/lists/conditions.ts'

const dayMs = 86_400_000

/** Returns the flags that select records by the time when they started. `noun` is in the plural. */
export const periodFlags = (noun: string) =>
  [
    { flags: '--since <time>', describe: `Only ${noun} that started at or after a time: 2h, 7d, yesterday` },
    { flags: '--until <time>', describe: `Only ${noun} that started before a time: 2h, 7d, yesterday` },
  ] as const

/** The time in which records started. */
export interface Period {
  /** Parameters of the platform, which takes days. They contain a day more on each side, because its clock may differ. */
  readonly filters: { readonly date_from?: string; readonly date_to?: string }
  /** Undefined if every record is in it. */
  readonly contains: ((record: { readonly created_at: string }) => boolean) | undefined
}

/**
 * Reads --since and --until. `filters` only make the list shorter: callers must still ask `contains`. @throws ClientFailure
 * `usage` for an invalid time, or a period with nothing in it
 */
export async function parsePeriod(context: Context, flags: Readonly<Record<string, unknown>>): Promise<Period> {
  const { since, until } = await parsePlatformPeriod(context, flags)
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
  return {
    filters: {
      ...(since !== undefined && { date_from: dayOf(since - dayMs) }),
      ...(until !== undefined && { date_to: dayOf(until + dayMs) }),
    },
    contains:
      since === undefined && until === undefined
        ? undefined
        : ({ created_at }) => {
            const at = recordTime(created_at)
            return !(since !== undefined && at < since) && !(until !== undefined && at >= until)
          },
  }
}
