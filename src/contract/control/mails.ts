import { resource } from '../endpoint/endpoint.ts'
import { id, isoMicros } from '../endpoint/field-schemas.ts'
import { listResponse } from '../endpoint/response-shapes.ts'
import * as z from '../schema/schema.ts'

/** Email that an automation sent. */
export const SentMail = z.object({
  id: z.string().describe('Message-ID'),
  server: z.string().nullable().describe('SMTP server that accepted the email; null if it is in the outbox'),
  from: z.string(),
  to: z.array(z.string()).describe('All recipients, including BCC'),
  subject: z.string(),
  body: z.string(),
  sent_at: isoMicros,
})
export type SentMail = z.output<typeof SentMail>

/** Emails sent by automations: the local outbox. */
export const mails = resource('mails', {
  list: {
    ...listResponse(SentMail),
    auth: 'control',
    section: 'local',
    assumed: 'only on a local platform',
    method: 'GET',
    path: '/control/accounts/{account}/mails',
    summary: 'List the last 100 emails of automations, newest first',
    params: z.object({ account: id.describe('Id of the account') }),
    errors: ['accounts.not_found'],
  },
})
