import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { isoMicros } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { durationPattern } from '../values/duration.ts'

const coalesce = z.boolean().optional().describe('Start one run per schedule instead of one per period that passed')

/** A time at which a clock is frozen. */
export const clockTime = (field: string) =>
  z.iso.datetime({ offset: true, error: `The ${field} field must be a time such as 2026-01-31T09:00:00Z.` })

/** State of the clock of a local platform. The kinds of jobs in `done` are those that `until` takes; rows of jobs have them. */
export const ClockState = z.object({
  now: isoMicros,
  frozen: z.boolean(),
  offset_seconds: z.number().describe('Offset from real time in seconds'),
  done: z
    .array(
      z.object({
        kind: z.string(),
        subject: z.string(),
        text: z.string().optional().describe('What the job did, such as: renewal of +14155550142, 1.15 USD'),
        due_at: isoMicros,
      }),
    )
    .describe('Jobs that this change ran, in order'),
})
export type ClockState = z.output<typeof ClockState>

export const clock = resource('clock', {
  show: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/clock',
    summary: 'Show the time of the platform',
    status: 200,
    output: ClockState,
    errors: [],
    risk: 'read',
  },
  freeze: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/clock/freeze',
    summary: 'Freeze the clock, now or at a given time',
    body: z.object({
      at: clockTime('at').optional().describe('Time to freeze at, ISO 8601 (default: now)'),
    }),
    status: 200,
    output: ClockState,
    errors: [],
    risk: 'write',
    byPerson: true,
  },
  advance: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/clock/advance',
    summary: 'Advance the clock and run due jobs',
    body: z.object({
      by: z
        .string()
        .regex(durationPattern, { error: 'The by field must be a duration such as 90s, 30m, 24h, 31d or 4w.' })
        .describe('Duration: 90s, 30m, 24h, 31d, 4w'),
      coalesce,
    }),
    status: 200,
    output: ClockState,
    errors: ['clock.too_many_runs'],
    risk: 'write',
    byPerson: true,
  },
  until: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/clock/until',
    summary: 'Advance the clock to a time or the next due job',
    body: z.object({
      what: z
        .string()
        .regex(/^(\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)|[a-z]+([.-][a-z]+)?)$/, {
          error:
            'The what field must be a time such as 2026-01-31T09:00:00Z, "next", or a kind of job such as delivery.',
        })
        .describe(
          'A time, ISO 8601; next: the next due job, except regular syncs; or a kind of job: delivery, subscription, senders.sync',
        ),
      coalesce,
    }),
    status: 200,
    output: ClockState,
    errors: ['clock.nothing_due', 'clock.too_many_runs'],
    risk: 'write',
    byPerson: true,
  },
  resume: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/clock/resume',
    summary: 'Resume real time',
    status: 200,
    output: ClockState,
    errors: [],
    risk: 'write',
    byPerson: true,
  },
})
