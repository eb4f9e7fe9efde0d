/** Microseconds since the epoch, UTC: the time unit of the platform. */
export type Micros = number
