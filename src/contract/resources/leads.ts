import { resource } from '../endpoint/endpoint.ts'
import { onlyParleyServer, parleyServerOnly, publicDeployments } from '../endpoint/endpoint-origins.ts'
import {
  assumed,
  checkDateOrder,
  dateRange,
  e164Number,
  evenIfInvalid,
  givenVariables,
  id,
  messageResponse,
  messageWithData,
  pageEnvelope,
  pageParameters,
  plainTime,
  variables,
} from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { leadStatuses } from '../values/states.ts'

/** Secondary contact of a lead (section 2.3). */
export const SecondaryContact = z.object({
  id: z.int(),
  phone_number: e164Number,
  variables,
  status: z.enum(leadStatuses),
  created_at: plainTime,
  updated_at: plainTime,
})
export type SecondaryContact = z.output<typeof SecondaryContact>

/** Lead of a campaign as the API returns it. */
export const Lead = z.object({
  id: z.int(),
  campaign_id: z.int(),
  phone_number: e164Number,
  variables,
  status: z.enum(leadStatuses),
  created_at: plainTime,
  updated_at: plainTime,
  campaign: z.object({
    id: z.int(),
    name: z.string(),
    channel: assumed(z.enum(['call', 'messaging', 'sms']).optional()),
  }),
  secondary_contacts: z.array(SecondaryContact),
})
export type Lead = z.output<typeof Lead>

/** State of the hours of a lead. */
const hoursStates = ['open', 'closed', 'no-common-hour'] as const

/** When a lead may be contacted. */
export const LeadHours = z.object({
  timezones: z.array(z.string()).describe('Time zones in which the lead may be'),
  timezone_source: z
    .enum(['variable', 'number', 'campaign'])
    .describe('Where they come from: a variable of the lead, its number, or the campaign'),
  invalid_timezone: z
    .string()
    .nullable()
    .describe('Value of the variable that is ignored because no time zone has this name'),
  state: z
    .enum(hoursStates)
    .describe('Whether the hours are open in all of them; no-common-hour: never in the next two months'),
  opens_at: plainTime
    .nullable()
    .describe('When closed hours open next (UTC); null for a lead that is not contacted any more'),
})
export type LeadHours = z.output<typeof LeadHours>

/** Lead as the list shows it. */
const ListedLead = Lead.extend({
  fallback_sent_at: plainTime.nullable(),
  contact_hours: assumed(
    LeadHours.optional().describe('When the lead may be contacted, if this depends on the time zone of the lead'),
    onlyParleyServer,
    'recipient-hours',
  ),
})

/**
 * Maximum number of leads that one request creates. Imports send half as many in each: platforms of other versions must accept
 * them.
 */
export const maxBatchLeads = 1000

const path = z.object({ id: id.describe('Id of the lead') })
const phone = z.string().describe('Phone number, E.164')

export const leads = resource('leads', {
  create: {
    method: 'POST',
    path: '/api/user/lead',
    summary: 'Create a lead in a campaign',
    body: z.object({
      phone_number: phone,
      campaign_id: id.describe('Id of the campaign'),
      variables: givenVariables.optional().describe('Variables for the assistant or the message template'),
      allow_dupplicate: assumed(
        z.boolean().default(false).describe('Add the lead even if the campaign already has this number'),
      ),
      secondary_contacts: z
        .array(
          z.object({
            phone_number: phone,
            variables: givenVariables.optional().describe('Variables for this contact'),
          }),
        )
        .optional()
        .describe('Secondary contacts (call campaigns only)'),
    }),
    status: 200,
    output: messageWithData(Lead),
    errors: ['leads.campaign_not_found', 'leads.invalid_phone', 'leads.duplicate'],
    risk: 'write',
    section: '4.3',
    record: 'data',
  },
  createBatch: {
    ...parleyServerOnly('lead-batches', 'One request creates many leads of a campaign, with a result for each'),
    method: 'POST',
    path: '/api/user/lead-batches',
    summary: 'Create many leads in a campaign',
    body: z.object({
      campaign_id: id.describe('Id of the campaign'),
      allow_dupplicate: z.boolean().default(false).describe('Add leads even if the campaign already has their numbers'),
      leads: z
        .array(z.unknown())
        .min(1)
        .max(maxBatchLeads)
        .describe('The leads, each with the other fields of a request for one lead'),
    }),
    status: 200,
    output: z.object({
      message: z.string(),
      results: z
        .array(
          z.object({
            status: z.int().describe('Status of the response to a request for this lead alone'),
            id: z.int().nullable().describe('Id of the lead; null if it was refused'),
            error: z
              .record(z.string(), z.unknown())
              .nullable()
              .describe('Body of the response to a request for this lead alone, if it was refused'),
          }),
        )
        .describe('Result of each lead, in the order of the request'),
    }),
    errors: ['leads.campaign_not_found'],
    risk: 'write',
  },
  list: {
    ...publicDeployments,
    method: 'GET',
    path: '/api/user/leads',
    summary: 'List leads',
    query: z
      .object({
        status: z.enum(leadStatuses).optional().describe('Status of the lead'),
        campaign_id: id.optional().describe('Id of the campaign'),
        phone_number: z.string().optional().describe('Part of the phone number'),
        ...dateRange,
        ...pageParameters(15),
      })
      .superRefine(checkDateOrder, evenIfInvalid),
    status: 200,
    output: pageEnvelope(ListedLead),
    errors: [],
    risk: 'read',
    items: 'data',
    paged: true,
  },
  update: {
    ...publicDeployments,
    method: 'PUT',
    path: '/api/user/leads/{id}',
    summary: 'Update a lead; variables are merged',
    params: path,
    body: z
      .object({
        campaign_id: id.describe('Id of the campaign to move it to'),
        phone_number: phone,
        status: z
          .enum(['created', 'completed', 'reached-max-retries'])
          .describe('Status; created queues the lead again'),
        variables: givenVariables.describe('Variables to merge into the existing ones'),
      })
      .partial(),
    status: 200,
    output: messageResponse,
    errors: ['leads.not_found', 'leads.campaign_not_found', 'leads.invalid_phone', 'leads.invalid_fields'],
    unknownFieldsError: 'leads.invalid_fields',
    risk: 'write',
    validationMessage: 'Validation failed',
  },
  delete: {
    ...publicDeployments,
    method: 'DELETE',
    path: '/api/user/leads/{id}',
    summary: 'Delete a lead and its secondary contacts',
    params: path,
    status: 200,
    output: messageResponse,
    errors: ['leads.not_found'],
    risk: 'destructive',
  },
})

/** A lead of `leads.createBatch`: what a request for one lead has besides the fields that all leads of a batch share. */
export const BatchLead = leads.create.body.omit({ campaign_id: true, allow_dupplicate: true })
