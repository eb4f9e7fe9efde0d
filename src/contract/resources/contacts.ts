import { resource } from '../endpoint/endpoint.ts'
import { parleyServerOnly } from '../endpoint/endpoint-origins.ts'
import {
  count,
  e164Number,
  id,
  isoMicros,
  pageEnvelope,
  pageParameters,
  text,
  timeZone,
  visibleText,
} from '../endpoint/field-schemas.ts'
import { recordResponse, updatedResponse } from '../endpoint/response-shapes.ts'
import * as z from '../schema/schema.ts'
import { optOutLanguages } from '../values/opt-out-words.ts'
import { calls } from './calls.ts'
import { channels, hoursFields } from './campaigns.ts'
import { messaging } from './messaging.ts'
import { sms } from './sms.ts'

/** A number that must not be contacted over a channel. */
export const BlockedContact = z.object({
  phone_number: e164Number,
  channel: z.enum(channels),
  reason: z.string().nullable(),
  source: z.string().describe('Where the block comes from, such as reply, api or the name of an import'),
  created_at: isoMicros,
})
export type BlockedContact = z.output<typeof BlockedContact>

/** Channels that a request names. */
export const contactChannels = [...channels, 'all'] as const

/** Maximum number of contacts of one request. Imports send half as many in each: platforms of other versions must accept them. */
export const maxBatchContacts = 1000

/**
 * Maximum number of phone numbers in the filter of the list. Checks of recipients send as many: platforms of other versions
 * must accept them.
 */
export const maxListedNumbers = 100

const address = {
  phone_number: z.string().describe('Phone number, E.164'),
  channel: z.enum(contactChannels).describe('Channel: call, messaging, sms, or all of them'),
}

const word = visibleText(60)

/** Words of an account to opt out and in, by reply. */
const settingFields = {
  languages: z
    .array(z.enum(optOutLanguages))
    .min(1)
    .describe('Languages whose words count (ISO 639-1), beside the English ones'),
  stop_words: z.array(word).max(100).describe('Further words to opt out'),
  start_words: z.array(word).max(100).describe('Further words to opt in again'),
  confirmation: visibleText(500).nullable().describe('Text that confirms an opt-out, in place of that of the language'),
}

/** Words of an account to opt out and in, by reply. */
const OptOutSettings = z.object({
  ...settingFields,
  known_words: z
    .array(z.object({ language: z.string(), stop: z.array(z.string()), start: z.array(z.string()) }))
    .describe('Words of the languages that count'),
})

const common = parleyServerOnly(
  'opt-outs',
  'Phone numbers can be blocked on channels: nothing is sent to them and they are not called, until they are unblocked',
)

/** Refuses a window that starts when it ends, because it could mean a minute or the whole day. */
function checkWindows(windows: readonly { start: string; end: string }[], ctx: z.RefinementCtx): void {
  for (const [n, { start, end }] of windows.entries())
    if (start === end)
      ctx.addIssue({
        code: 'custom',
        path: [n, 'end'],
        message: `The schedule windows field has a window that starts and ends at ${start}. For the whole day: 00:00 to 23:59.`,
      })
}

const accountHours = {
  ...hoursFields,
  schedule_windows: hoursFields.schedule_windows.superRefine(checkWindows),
  timezone: timeZone.describe('Time zone of recipients whose number tells none (IANA name; default: UTC)'),
}

/** Hours, days and holidays of an account, in the time zone of each recipient. null for no limit. */
const ContactHours = z.object({
  schedule_windows: accountHours.schedule_windows.nullable(),
  allowed_days: accountHours.allowed_days.nullable(),
  holidays: accountHours.holidays.nullable(),
  timezone: accountHours.timezone.nullable(),
})
export type ContactHours = z.output<typeof ContactHours>

const hoursEndpoint = parleyServerOnly(
  'contact-hours',
  'An account has hours, days and holidays, in the time zone of each recipient, outside which campaigns, messages, SMS, calls and automations wait; `now` of a request starts it at once',
)

/**
 * States of what waits: started, reported as not possible any more, or cancelled. Rows have them, and `parked` for a run
 * that waits.
 */
const waitingStates = ['waiting', 'started', 'failed', 'cancelled'] as const

/** Message, SMS or call that waits for the contact hours, or did. */
export const WaitingContact = z.object({
  id: z.int(),
  channel: z.enum(channels),
  phone_number: e164Number,
  content: z
    .string()
    .nullable()
    .describe('Text or address of media that is sent, or the name of the assistant that calls; null if it was deleted'),
  max_cost: z
    .number()
    .nullable()
    .describe('Most that it costs when it starts (USD); null if unknown, as of a call without a longest duration'),
  opens_at: isoMicros.describe('When the hours open next'),
  timezones: z.array(z.string()).describe('Time zones in which the recipient may be'),
  timezone_source: z
    .enum(['number', 'account'])
    .describe('Where they come from: the number, or the hours of the account for a number that tells none'),
  closed_by: z
    .enum(['holiday', 'day', 'hours'])
    .nullable()
    .describe(
      'What closes the hours now: a holiday, a day, or the time of day; null if they are open, or it does not wait',
    ),
  closed_in: z.string().nullable().describe('First of the time zones in which the hours are closed now'),
  state: z.enum(waitingStates),
  started_id: z.int().nullable().describe('Id of the message, SMS or call that was started'),
  error: z.string().nullable().describe('Why it could not be started any more'),
  created_at: isoMicros,
  updated_at: isoMicros,
})
export type WaitingContact = z.output<typeof WaitingContact>

/** Refusals of what starts at once: those of every send and call, but for those of the hours and of limits of requests. */
const startFailures = [
  ...new Set([messaging.send, messaging.sendFreeform, sms.send, calls.start].flatMap(({ errors }) => errors)),
].filter((it) => it !== 'contacts.waiting' && it !== 'contacts.never_open' && it !== 'throttled')

export const contacts = resource('contacts', {
  list: {
    ...common,
    method: 'GET',
    path: '/api/user/blocked-contacts',
    summary: 'List blocked contacts',
    query: z.object({
      channel: z.enum(channels).optional().describe('Channel on which they are blocked'),
      phone_number: z.string().optional().describe('Phone number, or its beginning, E.164'),
      phone_numbers: z
        .string()
        .optional()
        .describe(`Up to ${maxListedNumbers} phone numbers in E.164, separated by commas`),
      ...pageParameters(15),
    }),
    status: 200,
    output: pageEnvelope(BlockedContact),
    errors: [],
    risk: 'read',
    items: 'data',
    paged: true,
  },
  block: {
    ...common,
    method: 'POST',
    path: '/api/user/blocked-contacts',
    summary: 'Block contacts on a channel, or on all',
    body: z.object({
      contacts: z
        .array(
          z.object({
            ...address,
            reason: text(500).nullable().optional().describe('Reason'),
            source: text(100, 1).optional().describe('Where the block comes from (default: api)'),
          }),
        )
        .min(1)
        .max(maxBatchContacts)
        .describe('The contacts'),
    }),
    status: 200,
    output: z.object({
      message: z.string(),
      data: z.object({
        received: count.describe('Contacts in the request'),
        blocked: count.describe('Blocks that were added, one for each number and channel'),
        already_blocked: count.describe('Blocks that existed'),
        in_progress: count.describe('Sends and calls that had been handed over to their provider'),
      }),
    }),
    errors: [],
    isRepeatable: true,
    onlyStops: true,
    risk: 'write',
    record: 'data',
    successProof: { 'data.blocked': 'count', 'data.already_blocked': 'count', 'data.in_progress': 'count' },
  },
  unblock: {
    ...common,
    method: 'POST',
    path: '/api/user/blocked-contacts/unblock',
    summary: 'Unblock contacts on a channel, or on all',
    body: z.object({
      contacts: z.array(z.object(address)).min(1).max(maxBatchContacts).describe('The contacts'),
    }),
    status: 200,
    output: z.object({
      message: z.string(),
      data: z.object({ unblocked: count.describe('Blocks that were removed, one for each number and channel') }),
    }),
    errors: [],
    isRepeatable: true,
    risk: 'write',
    record: 'data',
    successProof: { 'data.unblocked': 'count' },
  },
  settings: {
    ...common,
    method: 'GET',
    path: '/api/user/opt-out-settings',
    summary: 'Show the words that opt out by reply',
    ...recordResponse(OptOutSettings),
    errors: [],
  },
  updateSettings: {
    ...common,
    method: 'PUT',
    path: '/api/user/opt-out-settings',
    summary: 'Change the words that opt out by reply',
    body: z.object(settingFields).partial(),
    ...updatedResponse(OptOutSettings),
    errors: [],
  },
  waiting: {
    ...hoursEndpoint,
    method: 'GET',
    path: '/api/user/waiting-contacts',
    summary: 'List what waits',
    query: z.object({
      state: z
        .enum([...waitingStates, 'all'])
        .default('waiting')
        .describe('Filter by state; all lists also what waits no more'),
      channel: z.enum(channels).optional().describe('Channel over which they are sent'),
      waiting_id: id.optional().describe('Only the one with this id'),
      ...pageParameters(15),
    }),
    status: 200,
    output: pageEnvelope(WaitingContact),
    errors: [],
    risk: 'read',
    items: 'data',
    paged: true,
  },
  cancelWaiting: {
    ...hoursEndpoint,
    method: 'POST',
    path: '/api/user/waiting-contacts/{waiting_id}/cancel',
    summary: 'Cancel what waits',
    params: z.object({ waiting_id: id.describe('Id of what waits') }),
    status: 200,
    output: z.object({ data: WaitingContact }),
    errors: ['contacts.waiting_not_found', 'contacts.not_waiting'],
    successProof: { 'data.id': { inputField: 'waiting_id' }, 'data.state': 'text' },
    isRepeatable: true,
    risk: 'destructive',
    onlyStops: true,
    record: 'data',
  },
  sendWaiting: {
    ...hoursEndpoint,
    method: 'POST',
    path: '/api/user/waiting-contacts/{waiting_id}/send',
    summary: 'Send or call at once',
    params: z.object({ waiting_id: id.describe('Id of what waits') }),
    status: 200,
    output: z.object({ data: WaitingContact }),
    errors: ['contacts.waiting_not_found', ...startFailures],
    successProof: { 'data.id': { inputField: 'waiting_id' }, 'data.state': 'text' },
    atomic: true,
    risk: 'spends',
    record: 'data',
  },
  hours: {
    ...hoursEndpoint,
    method: 'GET',
    path: '/api/user/contact-hours',
    summary: 'Show the contact hours',
    ...recordResponse(ContactHours),
    errors: [],
  },
  updateHours: {
    ...hoursEndpoint,
    method: 'PUT',
    path: '/api/user/contact-hours',
    summary: 'Change the contact hours',
    body: ContactHours.partial(),
    ...updatedResponse(ContactHours),
    errors: [],
  },
})
