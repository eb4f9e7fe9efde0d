import { choice, fields, map } from './fields.ts'
import type { Piece } from './piece.ts'
import { respond, respondAndWait } from './respond.ts'

export const webhook: Piece = {
  names: ['webhook'],
  triggers: {
    catch_webhook: {
      title: 'Webhook',
      kind: 'webhook',
      input: fields({ authType: choice(['none', 'basic', 'header'], 'none'), authFields: map }),
    },
  },
  actions: { return_response: respond, return_response_and_wait_for_next_webhook: respondAndWait },
}
