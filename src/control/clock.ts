import type { ClockState, clock as contract } from '../contract/clock.ts'
import { Failure, failures, invalidField } from '../contract/errors.ts'
import { type ClockReading, type Micros, toIsoMicros } from '../events/clock.ts'
import type { DueLoop } from '../events/due.ts'
import type { HandlersOf } from '../server/handler.ts'
import type { Deps } from '../services/deps.ts'
import { regularLooks } from '../services/synchronising.ts'
import type { Query } from '../store/connection.ts'
import { type DueRow, nextDue, nextDueOf } from '../store/due.ts'
import { spanOf } from './spans.ts'

/** Runs of schedules that one change of the clock may start (decision: a month of an hourly schedule is allowed, a year of a minute is a slip). */
const maxRuns = 1000

/** @throws Failure 422 when more runs of schedules would start until then than one change of the clock may start */
async function refuseFlood(query: Query, until: Micros): Promise<void> {
  const { hasMoreTicks } = await import('../services/automations/tick-count.ts')
  if (await hasMoreTicks(query, until, maxRuns))
    throw new Failure('clock.too_many_runs', { text: failures['clock.too_many_runs'].text.replace('{limit}', String(maxRuns)) })
}

export const toClockState = ({ now, frozen, offset }: ClockReading, done: readonly DueRow[] = []): ClockState => ({
  now: toIsoMicros(now),
  frozen,
  offset_seconds: Math.round(offset / 1000) / 1000,
  done: done.map((it) => ({ kind: it.kind, subject: it.subject, due_at: toIsoMicros(it.due_at) })),
})

/** Turning the clock does at once, in order, what the new time makes due. */
export function clockHandlers({ connection, clock, due }: Deps & { readonly due: DueLoop }): HandlersOf<typeof contract> {
  /** Time stops at every due moment on the way, so that work sees the time it was due at; what is due already is not late because time is turned. */
  async function walk(until: Micros, drain: DueLoop['drain'], coalesce: boolean | undefined): Promise<DueRow[]> {
    const done = [...(await drain())]
    for (;;) {
      const next = await nextDue(connection.read, await clock.now())
      if (next === undefined || next > until) break
      await clock.hold(next, until, { coalesce })
      done.push(...(await drain()))
    }
    await clock.hold(until, until, { coalesce })
    return [...done, ...(await drain())]
  }

  const advance = (target: (now: Micros) => Micros, coalesce: boolean | undefined): Promise<ClockState> =>
    due.alone(async (drain) => {
      const until = target(await clock.now())
      if (!coalesce) await refuseFlood(connection.read, until)
      try {
        const done = await walk(until, drain, coalesce)
        return toClockState(await clock.go(until), done)
      } finally {
        // Time that ran runs on, whatever went wrong on the way.
        await clock.go()
      }
    })

  /** The moment that is meant; later than now, since what is due now is done now. @throws Failure */
  async function momentOf(what: string, now: Micros): Promise<Micros> {
    if (/^\d/.test(what)) {
      const at = Date.parse(what) * 1000
      if (Number.isNaN(at) || at <= now) throw invalidField('what', 'The what field must be a time to come.')
      return at
    }
    const next =
      what === 'next'
        ? ((await nextDue(connection.read, now, regularLooks)) ?? (await nextDue(connection.read, now)))
        : await nextDueOf(connection.read, what, now)
    if (next === undefined) throw new Failure('clock.nothing_due')
    return next
  }

  return {
    async until({ what, coalesce }) {
      await due.drain()
      const now = await clock.now()
      const at = await momentOf(what, now)
      return advance(() => at, coalesce)
    },
    show: async () => toClockState(await clock.read()),
    freeze: async ({ at }) => toClockState(await clock.freeze(at === undefined ? undefined : Date.parse(at) * 1000), await due.drain()),
    advance: ({ by, coalesce }) => advance((now) => now + spanOf(by), coalesce),
    resume: async () => toClockState(await clock.resume(), await due.drain()),
  }
}
