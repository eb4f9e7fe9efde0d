import type { ClockState, clock as contract } from '../contract/clock.ts'
import { Failure, invalidField } from '../contract/errors.ts'
import { type ClockReading, type Micros, toIsoMicros } from '../events/clock.ts'
import type { DueLoop } from '../events/due.ts'
import type { HandlersOf } from '../server/handler.ts'
import type { Deps } from '../services/deps.ts'
import { type DueRow, nextDue, nextDueOf } from '../store/due.ts'
import { spanOf } from './spans.ts'

export const toClockState = ({ now, frozen, offset }: ClockReading, done: readonly DueRow[] = []): ClockState => ({
  now: toIsoMicros(now),
  frozen,
  offset_seconds: Math.round(offset / 1000) / 1000,
  done: done.map((it) => ({ kind: it.kind, subject: it.subject, due_at: toIsoMicros(it.due_at) })),
})

/** Turning the clock does at once, in order, what the new time makes due. */
export function clockHandlers({ connection, clock, due }: Deps & { readonly due: DueLoop }): HandlersOf<typeof contract> {
  /** Frozen time stops at every due moment on the way, so that work sees the time it was due at. */
  async function walk(until: Micros, drain: DueLoop['drain']): Promise<DueRow[]> {
    const done = [...(await drain())]
    for (;;) {
      const next = await nextDue(connection.read, await clock.now())
      if (next === undefined || next > until) return done
      await clock.freeze(next)
      done.push(...(await drain()))
    }
  }

  const advance = (by: Micros): Promise<ClockState> =>
    due.alone(async (drain) => {
      const { now, frozen } = await clock.read()
      // What is due already is not late because time is turned.
      const done = frozen ? await walk(now + by, drain) : await drain()
      const after = frozen ? await clock.freeze(now + by) : await clock.advance(by)
      return toClockState(after, [...done, ...(await drain())])
    })

  /** The moment that is meant; later than now, since what is due now is done now. @throws Failure */
  async function momentOf(what: string, now: Micros): Promise<Micros> {
    if (/^\d/.test(what)) {
      const at = Date.parse(what) * 1000
      if (Number.isNaN(at) || at <= now) throw invalidField('what', 'The what field must be a time to come.')
      return at
    }
    const next = what === 'next' ? await nextDue(connection.read, now) : await nextDueOf(connection.read, what, now)
    if (next === undefined) throw new Failure('clock.nothing_due')
    return next
  }

  return {
    async until({ what }) {
      await due.drain()
      const now = await clock.now()
      return advance((await momentOf(what, now)) - now)
    },
    show: async () => toClockState(await clock.read()),
    freeze: async ({ at }) => toClockState(await clock.freeze(at === undefined ? undefined : Date.parse(at) * 1000), await due.drain()),
    advance: ({ by }) => advance(spanOf(by)),
    resume: async () => toClockState(await clock.resume(), await due.drain()),
  }
}
