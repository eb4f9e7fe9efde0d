import * as z from 'zod'
import { resource } from '../mechanics/endpoint.ts'
import { id, isoMicros } from '../mechanics/field-schemas.ts'
import { listResponse } from '../mechanics/response-shapes.ts'

/** A mail that automations sent. */
export const SentMail = z.object({
  id: z.string().describe('Message-ID'),
  server: z.string().nullable().describe('The SMTP server that took it; null for one that stayed in the outbox'),
  from: z.string(),
  to: z.array(z.string()).describe('All recipients, hidden ones too'),
  subject: z.string(),
  body: z.string(),
  sent_at: isoMicros,
})
export type SentMail = z.output<typeof SentMail>

/** What automations sent by mail: the local outbox. */
export const mails = resource('mails', {
  list: {
    ...listResponse(SentMail),
    auth: 'control',
    section: 'local',
    assumed: 'only on a platform of your own',
    method: 'GET',
    path: '/control/accounts/{account}/mails',
    summary: 'List the last hundred mails that automations sent, newest first',
    params: z.object({ account: id.describe('Id of the account') }),
    errors: ['accounts.not_found'],
  },
})
