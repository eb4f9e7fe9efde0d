import type { ClockState, clock as contract } from '../contract/control.ts'
import { type ClockReading, type Micros, toIsoMicros } from '../events/clock.ts'
import type { DueLoop } from '../events/due.ts'
import type { HandlersOf } from '../server/handler.ts'
import type { Deps } from '../services/deps.ts'
import { type DueRow, nextDue } from '../store/due.ts'
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
      const done = frozen ? await walk(now + by, drain) : []
      const after = frozen ? await clock.freeze(now + by) : await clock.advance(by)
      return toClockState(after, [...done, ...(await drain())])
    })

  return {
    show: async () => toClockState(await clock.read()),
    freeze: async ({ at }) => toClockState(await clock.freeze(at === undefined ? undefined : Date.parse(at) * 1000), await due.drain()),
    advance: ({ by }) => advance(spanOf(by)),
    resume: async () => toClockState(await clock.resume(), await due.drain()),
  }
}
