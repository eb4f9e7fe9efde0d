import { day, type Micros, second } from '../../contract/values/micros.ts'
import type { Connection, Query } from '../store/database/connection.ts'
import { type ClockRow, readClock, writeClock } from '../store/runtime/clock.ts'

/** The state of the clock at a moment. */
export interface ClockReading {
  readonly now: Micros
  readonly frozen: boolean
  /** Difference between the platform's time and the wall time. */
  readonly offset: Micros
}

/** The clock of the platform. It is a database row, so that all processes see the same time, frozen or shifted. */
export interface Clock {
  now(query?: Query): Promise<Micros>
  read(query?: Query): Promise<ClockReading>
  /**
   * Returns the time for records such as the start of a step. A change of the clock by another server may be missed for
   * a quarter of a second.
   */
  recent(): Promise<Micros> | Micros
  /**
   * Returns the time, whether it differs from the wall time, and whether there are fault rules. One read returns all of
   * it, because every request needs it.
   */
  status(): Promise<{ readonly now: Micros; readonly shifted: boolean; readonly faults: boolean }>
  /** Stops the clock at the current time, or at `at`. */
  freeze(at?: Micros): Promise<ClockReading>
  /** Advances the clock by `by`. A frozen clock stays frozen. */
  advance(by: Micros): Promise<ClockReading>
  /**
   * Advances the clock to `at`, never back, and holds it there to run the jobs due at that time, on the way to `until`.
   * A running clock continues after `release`.
   */
  hold(at: Micros, until: Micros, options?: { readonly coalesce?: boolean | undefined }): Promise<ClockReading>
  /**
   * Returns the earliest time for the next run of periodic work done at `now`. While the clock is advanced, this
   * is at least the target time, so that several missed runs become one.
   */
  nextPeriodStart(now: Micros): Micros
  /**
   * Returns the earliest time for the next run of a schedule that ran at `now`. If the runs on the way are coalesced,
   * it is after all of them.
   */
  nextScheduleStart(now: Micros): Micros
  /** Ends a hold, at `at` or at the current time. Does nothing to a clock that is not held. */
  release(at?: Micros): Promise<ClockReading>
  /** Returns to the wall time. */
  resume(): Promise<ClockReading>
}

/**
 * Returns whether the clock is held and will continue. A frozen clock has an offset of 0, a held one does not: the row has no
 * other mark, so `freeze` always writes 0, and `hold` never does for a running clock.
 */
const isHeld = ({ frozen_at, offset }: Pick<ClockRow, 'frozen_at' | 'offset'>): boolean =>
  frozen_at !== null && offset !== 0

/** Milliseconds for which records may use a clock that was read before. */
const maxRecentAgeMs = 250

/** Creates the clock of a platform. `wall` returns the wall time in milliseconds. */
export function createClock(connection: Connection, wall: () => number): Clock {
  const wallMicros = (): Micros => wall() * 1000
  let holdUntil: Micros = 0
  let coalesceUntil: Micros = 0
  const rowOf = (query: Query): Promise<ClockRow | undefined> =>
    query === connection.read ? connection.cachedRead('clock', () => readClock(query)) : readClock(query)
  const readRecent = async (): Promise<Micros> =>
    toReading(await connection.cachedRead('clock', () => readClock(connection.read), maxRecentAgeMs)).now
  const toReading = (row: ClockRow | undefined): ClockReading => {
    const wallTime = wallMicros()
    if (!row) return { now: wallTime, frozen: false, offset: 0 }
    if (row.frozen_at !== null) return { now: row.frozen_at, frozen: !isHeld(row), offset: row.frozen_at - wallTime }
    return { now: wallTime + row.offset, frozen: false, offset: row.offset }
  }
  const reading = async (query: Query): Promise<ClockReading> => toReading(await rowOf(query))
  const change = (
    next: (current: ClockReading) => { frozen_at: Micros | null; offset: Micros },
  ): Promise<ClockReading> =>
    connection.write('everything', async (query) => {
      await writeClock(query, next(await reading(query)))
      return reading(query)
    })
  return {
    now: async (query = connection.read) => (await reading(query)).now,
    read: (query = connection.read) => reading(query),
    recent() {
      const known = connection.cachedResult?.<ClockRow>('clock')
      return known ? toReading(known).now : readRecent()
    },
    async status() {
      const row = await rowOf(connection.read)
      return {
        now: toReading(row).now,
        shifted: row !== undefined && (row.frozen_at !== null || row.offset !== 0),
        faults: row !== undefined && row.faults > 0,
      }
    },
    freeze: (at) => change((current) => ({ frozen_at: at ?? current.now, offset: 0 })),
    advance: (by) =>
      change((current) =>
        current.frozen ? { frozen_at: current.now + by, offset: 0 } : { frozen_at: null, offset: current.offset + by },
      ),
    hold: (at, until, { coalesce = false } = {}) => {
      holdUntil = until
      coalesceUntil = coalesce ? until : 0
      return change((current) => {
        const to = Math.max(at, current.now)
        return { frozen_at: to, offset: current.frozen ? 0 : to - wallMicros() || 1 }
      })
    },
    nextPeriodStart: (now) => Math.max(now, holdUntil),
    nextScheduleStart: (now) => Math.max(now, coalesceUntil),
    release: async (at) => {
      holdUntil = 0
      coalesceUntil = 0
      // Usually the clock is not held. Opening the connection for writes takes a command longer than the rest of
      // opening.
      const seen = await readClock(connection.read)
      if (!seen || !isHeld(seen)) return toReading(seen)
      return connection.write('everything', async (query) => {
        const row = await readClock(query)
        if (!row || !isHeld(row)) return toReading(row)
        await writeClock(query, { frozen_at: null, offset: Math.max(at ?? 0, row.frozen_at as Micros) - wallMicros() })
        return reading(query)
      })
    },
    resume: () => change(() => ({ frozen_at: null, offset: 0 })),
  }
}

/** Parses a time in ISO 8601. @throws RangeError for an invalid one */
export function parseMicros(text: string): Micros {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw new RangeError(`Invalid time "${text}". Use ISO 8601, for example 2027-01-31T09:00:00Z.`)
  return ms * 1000
}

const pad = (value: number, width: number): string => String(value).padStart(width, '0')

/** Cache of formatted days. Creating a Date and its text costs more than the rest of a small response. */
const dateCache = new Map<number, string>()

/** Formats a day since the epoch as `YYYY-MM-DD`. */
function formatDate(days: number): string {
  const known = dateCache.get(days)
  if (known !== undefined) return known
  if (dateCache.size > 500) dateCache.clear()
  const text = new Date((days * day) / 1000).toISOString().slice(0, 10)
  dateCache.set(days, text)
  return text
}

/** Formats a time in ISO 8601 UTC with microseconds. The API answers with it for keys, tools, trunks and control: it never changes. */
export function toIsoMicros(micros: Micros): string {
  const days = Math.floor(micros / day)
  const rest = micros - days * day
  const seconds = Math.floor(rest / second)
  return `${formatDate(days)}T${pad(Math.floor(seconds / 3600), 2)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}.${pad(rest % second, 6)}Z`
}
/** The last formatted time, because rows created together often have the same one. */
let lastPlainTime: readonly [second: number, text: string] | undefined

/** Formats a time as `YYYY-MM-DD HH:MM:SS` in UTC. The API answers with it for leads and conversations: it never changes. */
export function toPlainTime(micros: Micros): string {
  const at = Math.floor(micros / second)
  if (lastPlainTime?.[0] !== at) {
    const days = Math.floor(micros / day)
    const seconds = at - days * 86_400
    const clock = `${twoDigits(Math.floor(seconds / 3600))}:${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}`
    lastPlainTime = [at, `${formatDate(days)} ${clock}`]
  }
  return lastPlainTime[1]
}

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : String(value))

/** Returns the time `months` later, on the day `anchor` (1-31), or on the last day of a month that is too short. */
export function addMonths(micros: Micros, months: number, anchor: number): Micros {
  const from = new Date(Math.floor(micros / 1000))
  const last = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months + 1, 0)).getUTCDate()
  const to = Date.UTC(
    from.getUTCFullYear(),
    from.getUTCMonth() + months,
    Math.min(anchor, last),
    from.getUTCHours(),
    from.getUTCMinutes(),
    from.getUTCSeconds(),
    from.getUTCMilliseconds(),
  )
  return to * 1000 + (micros % 1000)
}
