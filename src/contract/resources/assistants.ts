import { clearableSettings, optionalSettings, requiredSettings } from '../assistants/assistant-settings.ts'
import { checkTransferNumbers } from '../assistants/built-in-tools.ts'
import { assistantDefaults, engineModes, modeErrors, settingsByMode } from '../assistants/engine-modes.ts'
import { resource } from '../endpoint/endpoint.ts'
import { parleyServerOnly } from '../endpoint/endpoint-origins.ts'
import {
  evenIfInvalid,
  id,
  isoMicros,
  messageResponse,
  messageWithData,
  pageEnvelope,
  pageParameters,
  webAddress,
} from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

type Fields = Record<string, z.ZodType>
type NullableFields<T extends Fields> = { [K in keyof T]: z.ZodNullable<T[K]> }
type DefaultedFields<T extends Fields, D> = {
  [K in keyof T]: K extends keyof D ? z.ZodDefault<T[K]> : z.ZodOptional<T[K]>
}

const nullableFields = <T extends Fields>(fields: T) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.nullable()])) as NullableFields<T>
const withDefaults = <T extends Fields, D extends Record<string, unknown>>(fields: T, defaults: D) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      Object.hasOwn(defaults, name) ? field.default(defaults[name]) : field.optional(),
    ]),
  ) as DefaultedFields<T, D>

/** Assistant as the list shows it. Settings that are not set or do not apply in its mode are null. */
export const Assistant = z.object({
  id: z.int(),
  uuid: z.string(),
  status: z.enum(['active', 'inactive']),
  ...requiredSettings,
  ...nullableFields(optionalSettings),
  ...nullableFields(clearableSettings),
  inbound_webhook_url: z.string().nullable(),
  created_at: isoMicros,
  updated_at: isoMicros,
})
export type Assistant = z.output<typeof Assistant>

/** Assistant in responses to create and update. */
const AssistantBrief = Assistant.pick({ id: true, name: true, status: true, type: true, mode: true })

const create = z
  .object({
    ...requiredSettings,
    ...withDefaults({ ...optionalSettings, ...clearableSettings }, assistantDefaults),
    folder_id: clearableSettings.folder_id.nullable().optional(),
  })
  .superRefine((body, ctx) => {
    const errors = engineModes.includes(body.mode) ? modeErrors(body.mode, body) : {}
    if (body.is_webhook_active && body.webhook_url === undefined)
      errors.webhook_url = ['The webhook url field is required when is webhook active is true.']
    for (const [field, texts] of Object.entries(errors))
      for (const message of texts) ctx.addIssue({ code: 'custom', path: [field], message })
  }, evenIfInvalid)
  .superRefine(checkTransferNumbers, evenIfInvalid)

const path = z.object({ id: id.describe('Id of the assistant') })
const assistantReference = { assistant_id: id.describe('Id of the assistant') }
const address = {
  ...assistantReference,
  webhook_url: webAddress(2048).describe('URL that receives the webhook'),
}
/** Response of the webhook endpoints. `data` is an empty array, reserved for future use. */
const webhookResponse = z.object({ message: z.string(), data: z.array(z.unknown()).max(0) })

const enableWebhook = {
  method: 'POST',
  isRepeatable: true,
  body: z.object(address),
  status: 200,
  output: webhookResponse,
  errors: ['assistants.not_found', 'assistants.binding_conflict'],
  risk: 'write',
  validationMessage: 'The given data was invalid.',
} as const
const disableWebhook = {
  method: 'POST',
  isRepeatable: true,
  body: z.object(assistantReference),
  status: 200,
  output: webhookResponse,
  errors: ['assistants.not_found'],
  risk: 'write',
  validationMessage: 'The given data was invalid.',
} as const

export const assistants = resource('assistants', {
  list: {
    method: 'GET',
    path: '/api/user/assistants/get',
    summary: 'List assistants',
    query: z.object(pageParameters(10)),
    status: 200,
    output: pageEnvelope(Assistant),
    errors: [],
    risk: 'read',
    section: '4.22',
    assumed: 'public deployments',
    items: 'data',
    paged: true,
  },
  create: {
    method: 'POST',
    path: '/api/user/assistant',
    summary: 'Create an assistant',
    body: create,
    conditionalFields: settingsByMode,
    status: 201,
    output: messageWithData(AssistantBrief),
    errors: [],
    risk: 'write',
    section: '4.15',
    assumed: 'method, path, status and answer: public deployments',
    validationMessage: 'Validation failed',
    record: 'data',
  },
  update: {
    method: 'PUT',
    path: '/api/user/assistant/{id}',
    summary: 'Update an assistant; omitted fields are unchanged',
    params: path,
    body: z
      .object({ ...requiredSettings, ...optionalSettings, ...nullableFields(clearableSettings) })
      .partial()
      .superRefine(checkTransferNumbers, evenIfInvalid),
    ignoredFields: ['uuid', 'inbound_webhook_url', 'created_at', 'updated_at'],
    conditionalFields: settingsByMode,
    status: 200,
    output: messageWithData(AssistantBrief),
    errors: ['assistants.not_found', 'assistants.binding_conflict'],
    risk: 'write',
    section: '4.16',
    assumed: 'method, path, status and answer: public deployments',
    validationMessage: 'Validation failed',
    record: 'data',
  },
  setStatus: {
    ...parleyServerOnly('assistant-status', 'Assistants can be activated and deactivated'),
    method: 'POST',
    path: '/api/user/assistant/{id}/status',
    summary: 'Activate or deactivate an assistant',
    params: path,
    body: z.object({ status: Assistant.shape.status.describe('active or inactive') }),
    status: 200,
    output: messageWithData(AssistantBrief),
    errors: ['assistants.not_found'],
    isRepeatable: true,
    risk: 'write',
    record: 'data',
  },
  delete: {
    method: 'DELETE',
    path: '/api/user/assistant/{id}',
    summary: 'Delete an assistant',
    params: path,
    status: 200,
    output: messageResponse,
    errors: ['assistants.not_yours', 'assistants.delete_failed'],
    risk: 'severe',
    section: '4.22',
    assumed: 'public deployments',
  },
  enableConversationEndedWebhook: {
    ...enableWebhook,
    path: '/api/user/assistants/enable-conversation-ended-webhook',
    summary: 'Enable the webhook sent when a conversation ends',
    section: '4.6',
  },
  disableConversationEndedWebhook: {
    ...disableWebhook,
    path: '/api/user/assistants/disable-conversation-ended-webhook',
    summary: 'Disable the webhook sent when a conversation ends',
    section: '4.7',
  },
  enablePostCallWebhook: {
    ...enableWebhook,
    path: '/api/user/assistants/enable-webhook',
    summary: 'Enable the webhook sent after a call',
    section: '6.2',
    assumed: 'public deployments',
  },
  disablePostCallWebhook: {
    ...disableWebhook,
    path: '/api/user/assistants/disable-webhook',
    summary: 'Disable the webhook sent after a call',
    section: '6.2',
    assumed: 'public deployments',
  },
  enableInboundWebhook: {
    ...enableWebhook,
    path: '/api/user/assistants/enable-inbound-webhook',
    summary: 'Enable the webhook called before answering inbound calls',
    section: '6.3',
    assumed: 'public deployments',
  },
  disableInboundWebhook: {
    ...disableWebhook,
    path: '/api/user/assistants/disable-inbound-webhook',
    summary: 'Disable the webhook called before answering inbound calls',
    section: '6.3',
    assumed: 'public deployments',
  },
})
