import type { RateLimit } from '../../../contract/endpoint/endpoint.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { RequestHandler } from '../app.ts'
import { webhookPathPrefix } from './read-input.ts'

/**
 * Answers requests to the webhooks of automations, whose handler is loaded with the first of them. They count for the limit of their
 * account. `automate.webhook` is their endpoint in the log, in metrics and in traces of operators: it never changes.
 */
export function withAutomationWebhooks(
  handle: RequestHandler,
  deps: Deps,
  limit: RateLimit | undefined,
): RequestHandler {
  let webhooks: Promise<RequestHandler> | undefined
  return (request) => {
    if (!request.url.startsWith(webhookPathPrefix)) return handle(request)
    if (request.context) request.context.endpoint = 'automate.webhook'
    webhooks ??= import('./automation-webhooks.ts').then((it) => it.createWebhookHandler(deps, limit))
    return webhooks.then((it) => it(request))
  }
}
