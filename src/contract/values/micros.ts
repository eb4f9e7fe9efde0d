/** Microseconds since the epoch, UTC, or a duration in microseconds: the time unit of the platform. Rows have times in it. */
export type Micros = number

/** One second in microseconds. */
export const second: Micros = 1_000_000
/** One minute in microseconds. */
export const minute: Micros = 60 * second
/** One hour in microseconds. */
export const hour: Micros = 60 * minute
/** One day in microseconds. */
export const day: Micros = 24 * hour

/** Formats a time in ISO 8601 UTC with milliseconds, for automations. */
export const toIsoMillis = (micros: Micros): string => new Date(Math.floor(micros / 1000)).toISOString()
