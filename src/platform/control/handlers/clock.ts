import { type ClockState, clock as contract } from '../../../contract/control/clock.ts'
import { Failure, failures, invalidField } from '../../../contract/errors/failures.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { type ClockReading, toIsoMicros } from '../../jobs/clock.ts'
import type { JobLoop } from '../../jobs/job-loop.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import { periodicSyncJobKinds } from '../../services/messaging/channel-sync-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { type JobRow, nextJobAt, nextJobOfKindAt, scheduledKinds } from '../../store/runtime/scheduled-jobs.ts'
import { describeJobs } from '../inspection/describe-jobs.ts'
import { durationMicros } from './durations.ts'

/**
 * Maximum scheduled runs that one change of the clock may start. It allows a month of an hourly schedule; a year of a
 * schedule that runs every minute is considered a mistake.
 */
const maxRuns = 1000

/**
 * Checks the number of scheduled runs until a time. @throws Failure 422 when there are more than one change of the
 * clock may start
 */
async function requireRunLimit(
  { connection, vault }: Pick<Deps, 'connection' | 'vault'>,
  until: Micros,
): Promise<void> {
  const { hasMoreScheduledRuns } = await import('../../services/automations/triggers/trigger-activation.ts')
  if (await hasMoreScheduledRuns({ query: connection.read, vault }, until, maxRuns))
    throw new Failure('clock.too_many_runs', {
      text: failures['clock.too_many_runs'].text.replace('{limit}', String(maxRuns)),
    })
}

/** Returns a reading of the clock in the form of the API, with the jobs that were run and what each of them did. */
export const toClockState = (
  { now, frozen, offset }: ClockReading,
  done: readonly JobRow[] = [],
  texts: readonly string[] = [],
): ClockState => ({
  now: toIsoMicros(now),
  frozen,
  offset_seconds: Math.round(offset / 1000) / 1000,
  done: done.map((it, n) => ({ kind: it.kind, subject: it.subject, text: texts[n], due_at: toIsoMicros(it.due_at) })),
})

/** Returns the endpoints of the resource with their handlers. */
export const clockResource = (deps: Deps & { readonly due: JobLoop }): LoadedResource =>
  loadedResource(contract, clockHandlers(deps))

/**
 * Creates the handlers of the control API for the clock. Advancing the clock runs the jobs that become due, in order.
 */
export function clockHandlers({
  connection,
  vault,
  clock,
  due,
}: Deps & { readonly due: JobLoop }): HandlersOf<typeof contract> {
  /**
   * Advances the clock and stops at every due time on the way, so that jobs see the time they were due at. Jobs that
   * are due already are run first.
   */
  async function advanceTo(until: Micros, drain: JobLoop['drain'], coalesce: boolean | undefined): Promise<JobRow[]> {
    const done = [...(await drain())]
    for (;;) {
      const next = await nextJobAt(connection.read, await clock.now())
      if (next === undefined || next > until) break
      await clock.hold(next, until, { coalesce })
      done.push(...(await drain()))
    }
    await clock.hold(until, until, { coalesce })
    return [...done, ...(await drain())]
  }

  /** Returns the state of the clock after jobs were run. */
  async function stateAfter(reading: ClockReading, done: readonly JobRow[]): Promise<ClockState> {
    if (done.length === 0) return toClockState(reading)
    return toClockState(reading, done, await describeJobs(connection.read, done))
  }

  const advance = (target: (now: Micros) => Micros, coalesce: boolean | undefined): Promise<ClockState> =>
    due.runExclusively(async (drain) => {
      const until = target(await clock.now())
      if (!coalesce) await requireRunLimit({ connection, vault }, until)
      try {
        const done = await advanceTo(until, drain, coalesce)
        return await stateAfter(await clock.release(until), done)
      } finally {
        // A running clock continues even after an error.
        await clock.release()
      }
    })

  /** The error for a kind of which no job is scheduled. It names the kinds that are. Scripts pass kinds: they never change. */
  async function nothingDue(what: string, now: Micros): Promise<Failure> {
    const kinds = await scheduledKinds(connection.read, now)
    const known = kinds.length > 0 ? ` Scheduled kinds: ${kinds.join(', ')}.` : ''
    const text = what === 'next' ? 'No job is scheduled.' : `No job of the kind "${what}" is scheduled.${known}`
    return new Failure('clock.nothing_due', { text })
  }

  /**
   * Returns the target time. It must be in the future, because jobs that are due now have run already. @throws Failure
   */
  async function targetTime(what: string, now: Micros): Promise<Micros> {
    if (/^\d/.test(what)) {
      const at = Date.parse(what) * 1000
      if (Number.isNaN(at) || at <= now) throw invalidField('what', 'The what field must be a time in the future.')
      return at
    }
    const next =
      what === 'next'
        ? ((await nextJobAt(connection.read, now, periodicSyncJobKinds)) ?? (await nextJobAt(connection.read, now)))
        : await nextJobOfKindAt(connection.read, what, now)
    if (next === undefined) throw await nothingDue(what, now)
    return next
  }

  return {
    async until({ what, coalesce }) {
      await due.drain()
      const now = await clock.now()
      const at = await targetTime(what, now)
      return advance(() => at, coalesce)
    },
    show: async () => toClockState(await clock.read()),
    freeze: async ({ at }) =>
      stateAfter(await clock.freeze(at === undefined ? undefined : Date.parse(at) * 1000), await due.drain()),
    advance: ({ by, coalesce }) => advance((now) => now + durationMicros(by), coalesce),
    resume: async () => stateAfter(await clock.resume(), await due.drain()),
  }
}
