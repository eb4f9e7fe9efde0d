import type { Connection, Query } from '../store/database/connection.ts'
import { type ClockRow, readClock, writeClock } from '../store/runtime/clock.ts'

/** Microseconds since the epoch, UTC: the platform's unit of time. */
export type Micros = number

export const second: Micros = 1_000_000
export const minute: Micros = 60 * second
export const hour: Micros = 60 * minute
export const day: Micros = 24 * hour

export interface ClockReading {
  readonly now: Micros
  readonly frozen: boolean
  /** How far the platform's time is from the wall's. */
  readonly offset: Micros
}

/** The one clock everything asks. It is a row, so that every process on the data sees the same time, frozen or shifted. */
export interface Clock {
  now(query?: Query): Promise<Micros>
  read(query?: Query): Promise<ClockReading>
  /** The time, whether it is another than the wall's, and whether any rule makes requests fail on purpose: one look for all, since every request needs it. */
  status(): Promise<{ readonly now: Micros; readonly shifted: boolean; readonly faults: boolean }>
  /** Stops time where it is, or at `at`. */
  freeze(at?: Micros): Promise<ClockReading>
  /** Moves time forward by `by`; frozen stays frozen. */
  advance(by: Micros): Promise<ClockReading>
  /** Moves time forward to `at`, never back, and holds it there: for what is due at that moment, on the way to `until`. It runs on with `go`, where it ran before. */
  hold(at: Micros, until: Micros, options?: { readonly coalesce?: boolean | undefined }): Promise<ClockReading>
  /** When periodic work that was done at `now` comes next at the earliest: while time is turned what it misses on the way is made up for once. */
  nextPeriodStart(now: Micros): Micros
  /** When a schedule that came at `now` may come next: at its next time, or, where the periods on the way are coalesced, after all of them. */
  nextScheduleStart(now: Micros): Micros
  /** Ends holding, at `at` or where it is. Does nothing to a clock nobody holds. */
  release(at?: Micros): Promise<ClockReading>
  /** Back to the wall's time and pace. */
  resume(): Promise<ClockReading>
}

/** A clock that stands has no offset, unless it is held for a moment and will run on. */
const isHeld = ({ frozen_at, offset }: Pick<ClockRow, 'frozen_at' | 'offset'>): boolean =>
  frozen_at !== null && offset !== 0

export function createClock(connection: Connection, wall: () => number): Clock {
  const wallMicros = (): Micros => wall() * 1000
  let holdUntil: Micros = 0
  let coalesceUntil: Micros = 0
  const rowOf = (query: Query): Promise<ClockRow | undefined> =>
    query === connection.read ? connection.cachedRead('clock', () => readClock(query)) : readClock(query)
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
    connection.write(async (query) => {
      await writeClock(query, next(await reading(query)))
      return reading(query)
    })
  return {
    now: async (query = connection.read) => (await reading(query)).now,
    read: (query = connection.read) => reading(query),
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
      // Nearly always nobody holds it; opening the connection that writes takes a command longer than all the rest of opening.
      const seen = await readClock(connection.read)
      if (!seen || !isHeld(seen)) return toReading(seen)
      return connection.write(async (query) => {
        const row = await readClock(query)
        if (!row || !isHeld(row)) return toReading(row)
        await writeClock(query, { frozen_at: null, offset: Math.max(at ?? 0, row.frozen_at as Micros) - wallMicros() })
        return reading(query)
      })
    },
    resume: () => change(() => ({ frozen_at: null, offset: 0 })),
  }
}

/** A moment as ISO 8601 has it. @throws RangeError for what is none */
export function parseMicros(text: string): Micros {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw new RangeError(`Invalid time "${text}". Use ISO 8601, for example 2027-01-31T09:00:00Z.`)
  return ms * 1000
}

const pad = (value: number, width: number): string => String(value).padStart(width, '0')

/** Days already written out. Making a Date and its text costs more than the rest of a small answer. */
const dateCache = new Map<number, string>()

/** `YYYY-MM-DD` of a day since the epoch. */
function formatDate(days: number): string {
  const known = dateCache.get(days)
  if (known !== undefined) return known
  if (dateCache.size > 500) dateCache.clear()
  const text = new Date((days * day) / 1000).toISOString().slice(0, 10)
  dateCache.set(days, text)
  return text
}

/** ISO 8601 UTC with microseconds: keys, tools, trunks. */
export function toIsoMicros(micros: Micros): string {
  const days = Math.floor(micros / day)
  const rest = micros - days * day
  const seconds = Math.floor(rest / second)
  return `${formatDate(days)}T${pad(Math.floor(seconds / 3600), 2)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}.${pad(rest % second, 6)}Z`
}
/** ISO 8601 UTC with milliseconds: automations. */
export const toIsoMillis = (micros: Micros): string => new Date(Math.floor(micros / 1000)).toISOString()
/** The last time that was written out: what is made together has the same. */
let lastPlainTime: readonly [second: number, text: string] | undefined

/** `YYYY-MM-DD HH:MM:SS`, UTC: leads, conversations. */
export function toPlainTime(micros: Micros): string {
  const at = Math.floor(micros / second)
  if (lastPlainTime?.[0] !== at) lastPlainTime = [at, new Date(at * 1000).toISOString().slice(0, 19).replace('T', ' ')]
  return lastPlainTime[1]
}

/** The same day `months` later, or the last day of a month that is too short; `anchor` is the day wanted (1-31). */
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
