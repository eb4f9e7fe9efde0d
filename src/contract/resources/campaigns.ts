import { resource } from '../endpoint/endpoint.ts'
import { onlyParleyServer, parleyServerOnly, publicDeployments } from '../endpoint/endpoint-origins.ts'
import {
  assumed,
  day,
  evenIfInvalid,
  id,
  isoMicros,
  messageResponse,
  messageWithData,
  text,
  timeZone,
} from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { retryDefaults } from '../values/states.ts'

/** Channels over which people are contacted. Rows of campaigns and blocked contacts have them. */
export const channels = ['call', 'messaging', 'sms'] as const
/** Statuses of a campaign. Rows and sample data have them. */
export const campaignStatuses = ['draft', 'scheduled', 'in-progress', 'paused', 'completed'] as const
const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)
/** A date without contacts, or a day of every year. */
const holiday = z
  .string()
  // A leap year, so that every day of the year is one.
  .refine((it) => day.safeParse(it.length === 5 ? `2000-${it}` : it).success, { params: { rule: 'holiday' } })
  .meta({ pattern: String.raw`^(\d{4}-)?\d\d-\d\d$` })

/** A field for hours in the time zone of each recipient. */
const recipientHours = <T extends z.ZodType>(schema: T): T => assumed(schema, onlyParleyServer, 'recipient-hours')

/** Settings that say when people are contacted, of a campaign and of an account. */
export const hoursFields = {
  schedule_windows: z
    .array(
      z.object({
        start: timeOfDay.describe('Start time, HH:MM'),
        end: timeOfDay.describe('HH:MM at which it closes (23:59: midnight); may be on the next day'),
      }),
    )
    .describe('Hours in which leads are contacted'),
  allowed_days: z.array(z.enum(days)).min(1).describe('Days on which leads are contacted'),
  holidays: z.array(holiday).max(366).describe('Dates without contacts: YYYY-MM-DD, or MM-DD for every year'),
}

const mapping = z.record(z.string(), z.string())

/**
 * Pattern of a date and a time, with or without a UTC offset. campaign-fields.ts of the platform reads the groups by position.
 */
export const dateTimePattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/

function isDateTime(text: string): boolean {
  const [, date, time, seconds = ':00', zone = 'Z'] = dateTimePattern.exec(text) ?? []
  // `Date` would read February 30 as March 2.
  return (
    date !== undefined &&
    new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) === true &&
    !Number.isNaN(Date.parse(`${date}T${time}${seconds}${zone}`))
  )
}

const fields = {
  name: text(255, 1).describe('Name, at most 255 characters'),
  channel: z.enum(channels).describe('Channel used to contact leads'),
  timezone: timeZone.describe('Time zone of the campaign hours (IANA name)'),
  schedule_windows: hoursFields.schedule_windows,
  allowed_hours_start_time: timeOfDay.describe('Start of the daily hours, HH:MM; schedule_windows take precedence'),
  allowed_hours_end_time: timeOfDay.describe('HH:MM at which the daily hours close; 23:59 is midnight'),
  scheduled_start_at: z
    .string()
    .refine(isDateTime, { error: 'The scheduled start at field must be a time such as 2026-01-31T09:00.' })
    .describe('Scheduled start, such as 2026-01-31T09:00 (default time zone: that of the campaign)'),
  allowed_days: hoursFields.allowed_days,
  window_timezone: recipientHours(
    z
      .enum(['campaign', 'recipient'])
      .describe(
        'Time zone of hours, days and holidays: that of the campaign, or of each recipient (default: campaign)',
      ),
  ),
  timezone_variable: recipientHours(
    text(255, 1).describe('Variable of a lead with its time zone (IANA name); else its number tells the zone'),
  ),
  holidays: recipientHours(hoursFields.holidays),
  max_retries: z.int().min(1).max(5).describe('Attempts per lead, 1-5'),
  retry_interval: z.int().min(10).max(4320).describe('Minutes between attempts, 10-4320'),
  mark_complete_when_no_leads: z.boolean().describe('Complete the campaign when no leads remain'),
  assistant_id: id.describe('Id of the assistant, required for call campaigns'),
  max_calls_in_parallel: z.int().min(1).max(10).describe('Maximum parallel calls, 1-10'),
  phone_number_ids: z.array(id).describe('Ids of the numbers to call from'),
  retry_on_voicemail: z.boolean().describe('Retry if voicemail answers'),
  retry_on_goal_incomplete: z.boolean().describe('Retry if the goal is not reached'),
  goal_completion_variable: text(255, 1).describe('Extracted variable that says whether the goal was reached'),
  fallback_channel: z.enum(['messaging', 'sms']).describe('Channel for leads that no call reached'),
  fallback_messaging_sender_id: id.describe('Id of the fallback sender'),
  fallback_messaging_template_id: id.describe('Id of the fallback template'),
  fallback_sms_from_phone_number_id: id.describe('Id of the number to send the fallback SMS from'),
  fallback_sms_body: text(1600, 1).describe('Text of the fallback SMS, at most 1600 characters'),
  fallback_variable_mapping: mapping.describe('Lead variable for each placeholder of the fallback'),
  messaging_sender_id: id.describe('Id of the sender, required for messaging campaigns'),
  messaging_template_id: id.describe('Id of the template, required for messaging campaigns'),
  text_variable_mapping: mapping.describe('Lead variable for each placeholder of the template'),
  messages_per_minute: z.int().min(1).max(10).describe('Messages per minute, 1-10'),
  sms_from_phone_number_id: id.describe('Id of the number to send from, required for SMS campaigns'),
  sms_body: text(1600, 1).describe('Text, at most 1600 characters, required for SMS campaigns'),
}

/** Fields that each channel requires. The server refuses a campaign by it, and the command asks for them on a terminal. */
export const requiredByChannel = {
  call: ['assistant_id'],
  messaging: ['messaging_sender_id', 'messaging_template_id'],
  sms: ['sms_from_phone_number_id', 'sms_body'],
} as const

/** Fields that each fallback channel requires. */
export const requiredByFallback = {
  messaging: ['fallback_messaging_sender_id', 'fallback_messaging_template_id'],
  sms: ['fallback_sms_from_phone_number_id', 'fallback_sms_body'],
} as const

/** Fields that apply to one channel only. A campaign of another channel accepts them and does not save them. */
const channelFields = {
  call: [
    'assistant_id',
    'max_calls_in_parallel',
    'phone_number_ids',
    'retry_on_voicemail',
    'retry_on_goal_incomplete',
    'goal_completion_variable',
    'fallback_channel',
    'fallback_messaging_sender_id',
    'fallback_messaging_template_id',
    'fallback_sms_from_phone_number_id',
    'fallback_sms_body',
    'fallback_variable_mapping',
  ],
  messaging: ['messaging_sender_id', 'messaging_template_id', 'text_variable_mapping', 'messages_per_minute'],
  sms: ['sms_from_phone_number_id', 'sms_body'],
} as const satisfies Record<(typeof channels)[number], readonly (keyof typeof fields)[]>

const conditionalFields = {
  by: 'channel',
  values: channels,
  fields: Object.fromEntries(Object.entries(channelFields).flatMap(([of, names]) => names.map((it) => [it, [of]]))),
  isValidated: true,
} as const

const draft = z
  .object({
    ...z.object(fields).partial().shape,
    name: fields.name,
    channel: fields.channel.default('call'),
    allowed_hours_start_time: fields.allowed_hours_start_time.default('00:00'),
    allowed_hours_end_time: fields.allowed_hours_end_time.default('23:59'),
    allowed_days: fields.allowed_days.default([...days]),
    max_retries: fields.max_retries.default(retryDefaults.max_retries),
    retry_interval: fields.retry_interval.default(retryDefaults.retry_interval),
    mark_complete_when_no_leads: fields.mark_complete_when_no_leads.default(true),
    max_calls_in_parallel: fields.max_calls_in_parallel.default(3),
    retry_on_voicemail: fields.retry_on_voicemail.default(false),
    retry_on_goal_incomplete: fields.retry_on_goal_incomplete.default(false),
  })
  .superRefine((body, ctx) => {
    const missing = (fields: readonly (keyof typeof body)[], when: string): void => {
      for (const field of fields)
        if (body[field] === undefined)
          ctx.addIssue({
            code: 'custom',
            path: [field],
            message: `The ${field.replaceAll('_', ' ')} field is required when ${when}.`,
          })
    }
    if (Object.hasOwn(requiredByChannel, body.channel))
      missing(requiredByChannel[body.channel], `channel is ${body.channel}`)
    if (
      body.channel === 'call' &&
      body.fallback_channel !== undefined &&
      Object.hasOwn(requiredByFallback, body.fallback_channel)
    )
      missing(requiredByFallback[body.fallback_channel], `fallback channel is ${body.fallback_channel}`)
  }, evenIfInvalid)

/** Fields that a campaign must have, so that null cannot clear them. */
const { channel: _, ...changeable } = fields
const { name, allowed_hours_start_time, allowed_hours_end_time, allowed_days, max_retries, retry_interval } = fields
const { mark_complete_when_no_leads, max_calls_in_parallel, retry_on_voicemail, retry_on_goal_incomplete } = fields
const required = {
  name,
  allowed_hours_start_time,
  allowed_hours_end_time,
  allowed_days,
  max_retries,
  retry_interval,
  mark_complete_when_no_leads,
  max_calls_in_parallel,
  retry_on_voicemail,
  retry_on_goal_incomplete,
}
const change = z.object({
  ...(Object.fromEntries(Object.entries(changeable).map(([name, field]) => [name, field.nullable().optional()])) as {
    [K in keyof typeof changeable]: z.ZodOptional<z.ZodNullable<(typeof changeable)[K]>>
  }),
  ...z.object(required).partial().shape,
})

/** Campaign. Fields that are not set are null. */
export const Campaign = z.object({
  id: z.int(),
  status: z.enum(campaignStatuses),
  ...(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.nullable()])) as {
    [K in keyof typeof fields]: z.ZodNullable<(typeof fields)[K]>
  }),
  // Only campaigns that have these settings return them.
  window_timezone: fields.window_timezone.nullable().optional(),
  timezone_variable: fields.timezone_variable.nullable().optional(),
  holidays: fields.holidays.nullable().optional(),
  name: z.string(),
  channel: fields.channel,
  created_at: isoMicros,
  updated_at: isoMicros,
})
export type Campaign = z.output<typeof Campaign>

const path = z.object({ id: id.describe('Id of the campaign') })

export const campaigns = resource('campaigns', {
  list: {
    ...publicDeployments,
    method: 'GET',
    path: '/api/user/campaigns',
    summary: 'List campaigns',
    status: 200,
    output: z.array(Campaign),
    errors: [],
    risk: 'read',
    items: '',
  },
  get: {
    ...publicDeployments,
    method: 'GET',
    path: '/api/user/campaign/{id}',
    summary: 'Show one campaign',
    params: path,
    status: 200,
    output: z.object({ data: Campaign }),
    errors: ['campaigns.not_found'],
    risk: 'read',
    record: 'data',
  },
  create: {
    ...publicDeployments,
    method: 'POST',
    path: '/api/user/campaign',
    summary: 'Create a draft campaign',
    body: draft,
    conditionalFields,
    status: 201,
    output: messageWithData(Campaign),
    errors: ['campaigns.plan_limit'],
    risk: 'write',
    validationMessage: 'Validation failed',
    record: 'data',
  },
  update: {
    ...parleyServerOnly(
      'campaign-update',
      'A campaign that is neither running nor scheduled can be changed, except its channel',
    ),
    method: 'PUT',
    path: '/api/user/campaign/{id}',
    summary: 'Update a campaign that is not running',
    params: path,
    body: change,
    conditionalFields,
    status: 200,
    output: messageWithData(Campaign),
    errors: ['campaigns.not_found', 'campaigns.running'],
    risk: 'write',
    validationMessage: 'Validation failed',
    record: 'data',
  },
  updateStatus: {
    ...publicDeployments,
    method: 'POST',
    path: '/api/user/campaigns/update-status',
    summary: 'Start or stop contacting the leads of a campaign',
    body: z.object({
      campaign_id: id.describe('Id of the campaign'),
      action: z
        .string()
        .meta({ enum: ['start', 'stop'] })
        .describe('start or stop'),
    }),
    status: 200,
    output: z.object({
      message: z.string(),
      success: z.literal(true),
      data: z.object({ campaign_id: z.int(), status: z.enum(campaignStatuses), channel: z.enum(channels) }),
    }),
    errors: [
      'campaigns.missing',
      'campaigns.bad_action',
      'campaigns.insufficient_balance',
      'campaigns.bad_state',
      'campaigns.incomplete',
      'campaigns.no_leads',
      'user.stopped',
    ],
    risk: 'spends',
    onlyStops: ({ action }) => action === 'stop',
    atomic: true,
    record: 'data',
  },
  delete: {
    ...publicDeployments,
    method: 'DELETE',
    path: '/api/user/campaign/{id}',
    summary: 'Stop and delete a campaign and its leads',
    params: path,
    status: 200,
    output: messageResponse,
    errors: ['campaigns.not_found'],
    risk: 'destructive',
  },
})
