import { choice, fields, map } from './input-fields.ts'
import type { Piece, Trigger } from './piece.ts'
import { respond, respondAndWait } from './respond.ts'

const webhookTrigger: Trigger = {
  title: 'Webhook',
  kind: 'webhook',
  input: fields({
    authType: choice(['none', 'basic', 'header'], 'none').describe('What a call must send; authFields has the values'),
    authFields: map.describe('username and password for basic, headerName and headerValue for header'),
  }),
}

export const webhook: Piece = {
  names: ['webhook'],
  // Older editors call the trigger `catch_request`.
  triggers: { catch_webhook: webhookTrigger, catch_request: webhookTrigger },
  actions: { return_response: respond, return_response_and_wait_for_next_webhook: respondAndWait },
}
