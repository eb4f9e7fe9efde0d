import { replies } from '../../../contract/resources/replies.ts'
import { replyService } from '../../services/conversations/reply-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const replyResource = (deps: Deps): LoadedResource => loadedResource(replies, replyHandlers(deps))

/** Creates the handlers of replies. */
export function replyHandlers(deps: Deps): HandlersOf<typeof replies> {
  const service = replyService(deps)
  return {
    async generate({ assistant_id, customer_identifier, message, variables = {} }, { account, idempotencyKey }) {
      const draft = { assistantId: assistant_id, customer: customer_identifier, message, variables }
      const { uuid, text, calls } = await service.generate(account, draft, idempotencyKey)
      return {
        success: true,
        conversation_id: uuid,
        customer_identifier,
        reply: text,
        function_calls: calls.map((it) => ({ ...it })),
        ai_disabled: text === null,
      }
    },
  }
}
