import type { Deps } from '../../services/runtime/deps.ts'
import type { RequestHandler } from '../app.ts'
import { webhookPathPrefix } from './read-input.ts'

/** Answers requests to the webhooks of automations, whose handler is loaded with the first of them. */
export function withAutomationWebhooks(handle: RequestHandler, deps: Deps): RequestHandler {
  let webhooks: Promise<RequestHandler> | undefined
  return (request) => {
    if (!request.url.startsWith(webhookPathPrefix)) return handle(request)
    if (request.context) request.context.endpoint = 'automate.webhook'
    webhooks ??= import('./automation-webhooks.ts').then((it) => it.createWebhookHandler(deps))
    return webhooks.then((it) => it(request))
  }
}
