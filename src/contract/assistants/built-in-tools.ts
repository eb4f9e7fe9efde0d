import { id, isE164, text, timeZone, webAddress } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

const toolType = <const T extends string>(name: T) => z.literal(name).describe('Type of built-in tool')
const usageDescription = z.string().describe('When the assistant should use it')

/**
 * Default texts of the built-in tools. The specification describes them but does not give the wording. They are stored with an
 * assistant that does not have its own, so that a change does not reach existing ones.
 */
export const toolDefaultTexts = {
  hold: 'Please hold while I connect you to a supervisor.',
  summary: 'In 2-3 sentences, say who is calling, why they called, and why they need a human.',
  briefing: 'Hello, I have a caller on the line. May I brief you?',
  connected: 'You are now connected with a supervisor.',
  transfer: 'Transfer the conversation to the other assistant when appropriate.',
} as const

const CallTransfer = z.object({
  type: toolType('call_transfer'),
  phone_number: text(255, 1).describe('Number to transfer to, E.164'),
  description: usageDescription.optional(),
  custom: z.boolean().optional().describe('Let the assistant choose the number'),
  timezone: timeZone.optional().describe('Time zone of the transfer (IANA name)'),
  warm_transfer: z.boolean().default(false).describe('Speak with the recipient before transferring'),
  warm_transfer_message: z.string().optional().describe('Prompt for the message before transferring'),
})

const WarmCallTransfer = z.object({
  type: toolType('warm_call_transfer'),
  supervisor_phone: text(255, 1).describe(
    'Number of the supervisor, E.164; a SIP address or extension if custom_sip is true',
  ),
  outbound_phone_id: id.describe('Id of the number used to dial the supervisor'),
  description: text(Infinity, 1).describe('When to transfer'),
  custom_sip: z.boolean().default(false).describe('Reach the supervisor over SIP'),
  caller_id_mode: z
    .enum(['outbound_number', 'customer_number', 'custom'])
    .default('outbound_number')
    .describe('Caller ID that the supervisor sees'),
  custom_caller_id: z.string().optional().describe('Caller ID if caller_id_mode is custom'),
  hold_music: z.enum(['hold_music', 'none']).default('hold_music').describe('Audio for the waiting caller'),
  hold_music_volume: z.number().min(0).max(100).default(80).describe('Volume of the hold music, 0-100'),
  hold_message: z.string().default(toolDefaultTexts.hold).describe('Message that asks the caller to hold'),
  summary_instructions: z
    .string()
    .default(toolDefaultTexts.summary)
    .describe('Instructions for briefing the supervisor'),
  briefing_initial_message: z.string().default(toolDefaultTexts.briefing).describe('First message to the supervisor'),
  connected_message: z.string().default(toolDefaultTexts.connected).describe('Message to the caller after connecting'),
})

const CollectKeypad = z.object({
  type: toolType('collect_keypad'),
  timeout: z.int().min(1).max(30).default(5).describe('Seconds to wait for a key, 1-30'),
  stop_key: z.enum(['#', '*']).default('#').describe('Key that ends the input'),
})

const AssistantTransfer = z.object({
  type: toolType('assistant_transfer'),
  assistant_id: id.describe('Id of the assistant to transfer to'),
  description: text(500).default(toolDefaultTexts.transfer).describe('When to transfer'),
  message_before_transfer: text(500).optional().describe('Message before the transfer'),
  speak_transfer_greeting: z.boolean().default(true).describe('Let the other assistant speak its initial message'),
})

const BookingField = z.object({
  slug: text(255, 1).describe('Identifier of the field'),
  type: text(255, 1).describe('Field type, such as text, email, phone, select'),
  label: text(255, 1).describe('Label of the field'),
  required: z.boolean().default(false).describe('Whether the field is required'),
  options: z.array(z.string()).optional().describe('Choices of a select field'),
})

const CalendarA = z.object({
  type: toolType('calendar_integration'),
  // Optional inside its default, so that the union matches a tool without this field to this member.
  calendar_type: z.literal('cal_a').optional().default('cal_a').describe('Calendar provider'),
  description: usageDescription.optional(),
  cal_a_api_key: text(Infinity, 1).describe('API key of the calendar'),
  cal_a_event_slug: text(Infinity, 1).describe('Slug of the event'),
  cal_a_team_slug: z.string().optional().describe('Slug of the team'),
  cal_a_endpoint: z.enum(['us', 'eu', 'custom']).default('us').describe('Deployment of the calendar'),
  cal_a_custom_endpoint: webAddress(2048).optional().describe('Base URL if cal_a_endpoint is custom'),
  cal_a_event_id: z
    .union([z.int().min(1), text(255, 1)])
    .optional()
    .describe('Id of the event; the name is resolved from it'),
  cal_a_event_name: z.string().optional().describe('Name of the event'),
  cal_a_booking_fields: z.array(BookingField).optional().describe('Fields of the booking form'),
})

const CalendarB = z.object({
  type: toolType('calendar_integration'),
  calendar_type: z.literal('cal_b').describe('Calendar provider'),
  description: usageDescription.optional(),
  cal_b_api_key: text(Infinity, 1).describe('Personal access token of the calendar'),
  cal_b_event_type_uri: z
    .string()
    .regex(/^https:\/\/[^/\s]+\/event_types\/[\w-]+$/)
    .describe("URL of the event type in the token's account: https://<host>/event_types/<uuid>"),
})

/**
 * Built-in tools of an assistant (section 4.15), discriminated by `type`; calendars also by `calendar_type`. Stored
 * assistants and files of `pull` have these tools: types and fields are added, not renamed.
 */
export const BuiltInTool = z.discriminatedUnion('type', [
  CallTransfer,
  WarmCallTransfer,
  z.object({ type: toolType('end_call'), description: usageDescription.optional() }),
  z.object({ type: toolType('dtmf_input'), description: usageDescription.optional() }),
  CollectKeypad,
  z.discriminatedUnion('calendar_type', [CalendarA, CalendarB]),
  AssistantTransfer,
])
export type BuiltInTool = z.output<typeof BuiltInTool>

/**
 * Adds issues for tools in a request body that transfer calls to a number that is not in E.164 format.
 * Responses are not checked, because a deployment may have stored other texts.
 */
export function checkTransferNumbers(
  { tools }: { readonly tools?: readonly BuiltInTool[] | undefined },
  ctx: z.RefinementCtx,
): void {
  if (!Array.isArray(tools)) return
  for (const [n, tool] of tools.entries()) {
    const fields = tool as Partial<Record<string, unknown>> | null
    const field =
      fields?.type === 'call_transfer'
        ? 'phone_number'
        : fields?.type === 'warm_call_transfer' && fields.custom_sip !== true
          ? 'supervisor_phone'
          : undefined
    const value = field === undefined ? undefined : fields?.[field]
    if (field === undefined || typeof value !== 'string' || value.trim() === '' || isE164(value)) continue
    const message = `The tools.${n}.${field.replaceAll('_', ' ')} field must be a phone number in E.164 format.`
    ctx.addIssue({ code: 'custom', path: ['tools', n, field], message })
  }
}
