import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { id, isoMicros, maxItems } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { timelineKinds } from '../values/timeline-kinds.ts'

/**
 * What happened on the platform, in one form for all kinds. The page of the inspector makes links of `subject`: a noun that is
 * renamed has no link there.
 */
export const TimelineEntry = z.object({
  id: z.string().describe('Kind and id: request:123'),
  kind: z.enum(timelineKinds),
  at: z.string().describe('Time of the platform, ISO 8601'),
  account: z.int().nullable(),
  status: z.string().nullable(),
  title: z.string(),
  text: z.string(),
  subject: z
    .object({ noun: z.string(), id: z.string() })
    .nullable()
    .describe('Resource of the entry, by the noun of its commands'),
})
export type TimelineEntry = z.output<typeof TimelineEntry>

const DueJob = z.object({
  kind: z.string(),
  subject: z.string(),
  text: z.string().describe('What the job does, such as: renewal of +14155550142, 1.15 USD'),
  account: z.int(),
  due_at: isoMicros,
  attempts: z.int(),
})

const activity = z.object({
  total: z.int(),
  hourly: z.array(z.int()).describe('24 numbers, one for each hour, oldest first'),
})

/** What happened on a local platform, for the inspector. */
export const inspector = resource('inspector', {
  login: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/inspector/logins',
    summary: 'Create a one-time link to the inspector in the browser',
    status: 200,
    output: z.object({
      code: z.string().describe('Secret that signs in once'),
      path: z.string().describe('Path of the link below the base URL; add "&next=" with the path of a page'),
      expires_in: z.int().describe('Seconds until it expires'),
    }),
    errors: ['inspector.unavailable'],
    risk: 'write',
  },
  timeline: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/timeline',
    summary: 'List what happened, newest first',
    query: z.object({
      kinds: z.string().max(100).optional().describe('Only these kinds, separated by commas'),
      account: id.optional().describe('Id of the account'),
      status: z
        .string()
        .max(40)
        .optional()
        .describe(
          'Only this status; failed includes requests with status 5xx, except those that waited for a failed run',
        ),
      search: z.string().max(200).optional().describe('Only entries that contain this text'),
      since: z.iso
        .datetime({ offset: true, error: 'The since field must be a time such as 2026-01-31T09:00:00Z.' })
        .optional()
        .describe('Only entries at or after this time'),
      before: z.string().max(400).optional().describe('Value of "next" of the previous page'),
      limit: maxItems(100).describe('Maximum number of items'),
    }),
    status: 200,
    output: z.object({
      data: z.array(TimelineEntry),
      next: z.string().nullable().describe('Value of "before" for the next page'),
    }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  due: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/due',
    summary: 'List scheduled jobs, next first',
    query: z.object({ limit: maxItems(100).describe('Maximum number of items') }),
    status: 200,
    output: z.object({
      data: z.array(DueJob),
      next: isoMicros.nullable().describe('Time of the first job that is not listed'),
    }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  overview: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/overview',
    summary: 'Show the activity of 24 hours, next charges and problems',
    query: z.object({ account: id.optional().describe('Id of the account (default: all)') }),
    status: 200,
    output: z.object({
      since: isoMicros.describe(
        'Start of the 24 hours: the timeline with this "since" has the entries that are counted',
      ),
      counts: z
        .record(z.string(), activity)
        .describe(
          'Requests, messages, calls, runs and deliveries of the last 24 hours; failed: failed calls, runs and deliveries, and requests with status 5xx that did not wait for a failed run',
        ),
      next_charges: z
        .array(
          z.object({
            at: isoMicros,
            amount: z.number().describe('USD'),
            text: z.string(),
            subject: z.object({ noun: z.string(), id: z.string() }).nullable(),
          }),
        )
        .describe('Next renewals of phone numbers'),
      attention: z.array(
        z.object({
          code: z.string(),
          severity: z.enum(['warning', 'failed']),
          text: z.string(),
          command: z.string().nullable().describe('Command or instruction that fixes it'),
          subject: z
            .object({ noun: z.string(), id: z.string() })
            .nullable()
            .optional()
            .describe('Resource of the problem, by the noun of its commands'),
        }),
      ),
    }),
    errors: [],
    risk: 'read',
  },
})
