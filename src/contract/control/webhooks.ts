import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { id, isoMicros, messageResponse, messageWithData, webAddress } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

const account = z.object({ account: id.describe('Id of the account') })
/** Secret that receivers have stored. `rotationOverlap` of webhook-secrets.ts says how long the previous one signs too. */
const WebhookSecret = z.object({
  secret: z.string().describe('Signing secret in Standard Webhooks format'),
  previous_until: isoMicros.nullable().describe('Time until which the previous secret also signs'),
  created_at: isoMicros,
})

export const webhooks = resource('webhooks', {
  secret: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/accounts/{account}/webhook-secret',
    summary: 'Show the webhook signing secret of an account',
    params: account,
    status: 200,
    output: WebhookSecret,
    errors: ['accounts.not_found'],
    risk: 'read',
  },
  rotate: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/accounts/{account}/webhook-secret',
    summary: 'Rotate the webhook signing secret; the previous one also signs for 24 hours',
    params: account,
    status: 200,
    output: WebhookSecret.extend(messageResponse.shape),
    errors: ['accounts.not_found'],
    risk: 'write',
  },
  runs: {
    ...controlEndpoint,
    method: 'PUT',
    path: '/control/accounts/{account}/run-webhook',
    summary: 'Set the webhook for failed runs of automations',
    params: account,
    body: z.object({ webhook_url: webAddress(2048).nullable().describe('URL of the webhook') }),
    status: 200,
    output: messageWithData(
      z.object({ id: z.int().describe('Id of the account'), webhook_url: z.string().nullable() }),
    ),
    errors: ['accounts.not_found'],
    risk: 'write',
    record: 'data',
  },
  sender: {
    ...controlEndpoint,
    method: 'PUT',
    path: '/control/accounts/{account}/senders/{id}/webhook',
    summary: 'Set the delivery status webhook of a sender',
    params: account.extend({ id: id.describe('Id of the sender') }),
    body: z.object({
      webhook_url: webAddress(2048).nullable().describe('URL that receives status callbacks'),
      webhook_secret: z
        .string()
        .min(1)
        .max(255)
        .optional()
        .describe('Secret of the header X-Signature-256 (default: generated)'),
    }),
    status: 200,
    output: messageWithData(
      z.object({ id: z.int(), webhook_url: z.string().nullable(), webhook_secret: z.string().nullable() }),
    ),
    errors: ['accounts.not_found', 'webhooks.sender_not_found'],
    risk: 'write',
    record: 'data',
  },
})
