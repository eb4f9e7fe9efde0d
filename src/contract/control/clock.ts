import * as z from 'zod'
import { resource } from '../mechanics/endpoint.ts'
import { isoMicros } from '../mechanics/field-schemas.ts'

const coalesce = z
  .boolean()
  .optional()
  .describe('Start one run for each schedule instead of one for each period passed')

/** The clock of a platform of one's own: what only that offers. */

const controlEndpoint = { auth: 'control', section: 'local', assumed: 'only on a platform of your own' } as const

export const ClockState = z.object({
  now: isoMicros,
  frozen: z.boolean(),
  offset_seconds: z.number().describe('How far from wall time'),
  done: z
    .array(z.object({ kind: z.string(), subject: z.string(), due_at: isoMicros }))
    .describe('Due work done by this change, in order'),
})
export type ClockState = z.output<typeof ClockState>

export const clock = resource('clock', {
  show: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/clock',
    summary: "Show the platform's time",
    status: 200,
    output: ClockState,
    errors: [],
    risk: 'read',
  },
  freeze: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/clock/freeze',
    summary: 'Stop time, now or at a given moment',
    body: z.object({
      at: z.iso
        .datetime({ offset: true, error: 'The at field must be a time such as 2026-01-31T09:00:00Z.' })
        .optional()
        .describe('Moment to stand at, ISO 8601'),
    }),
    status: 200,
    output: ClockState,
    errors: [],
    risk: 'write',
  },
  advance: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/clock/advance',
    summary: 'Move time forward and do what falls due, in order',
    body: z.object({
      by: z
        .string()
        .regex(/^\d{1,9}(s|m|h|d|w)$/, { error: 'The by field must be a duration such as 90s, 30m, 24h, 31d or 4w.' })
        .describe('How far: 90s, 30m, 24h, 31d, 4w'),
      coalesce,
    }),
    status: 200,
    output: ClockState,
    errors: ['clock.too_many_runs'],
    risk: 'write',
  },
  until: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/clock/until',
    summary: 'Move time forward to a moment, or to when something falls due, and do what falls due on the way',
    body: z.object({
      what: z
        .string()
        .regex(/^(\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)|[a-z]+(\.[a-z]+)?)$/, {
          error:
            'The what field must be a time such as 2026-01-31T09:00:00Z, "next", or a kind of due work such as delivery.',
        })
        .describe(
          'A time, ISO 8601; next: the next due work but for the regular looks at the channel; or a kind of it: delivery, subscription, senders.sync',
        ),
      coalesce,
    }),
    status: 200,
    output: ClockState,
    errors: ['clock.nothing_due', 'clock.too_many_runs'],
    risk: 'write',
  },
  resume: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/clock/resume',
    summary: "Back to the wall's time",
    status: 200,
    output: ClockState,
    errors: [],
    risk: 'write',
  },
})
