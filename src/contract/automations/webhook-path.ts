import type { Automation } from './automation-records.ts'

/**
 * Path prefix of webhook addresses. Other systems call them: it never changes. The patterns of resource-references.ts of
 * contract/references recognize it in the addresses of every platform, without `/automate`.
 */
export const webhooksPath = '/automate/api/v1/webhooks/'

/** Returns the path of the webhook of an automation. */
export const webhookPath = (id: string): string => `${webhooksPath}${id}`

/**
 * Returns the path of the webhook that starts an automation (section 4.20); undefined for events of assistants other
 * than the end of a conversation, and for schedules.
 */
export function webhookPathOf({ id, definition, binding }: Automation): string | undefined {
  const { triggerName } = (definition?.settings ?? {}) as { readonly triggerName?: unknown }
  const isStarted =
    triggerName === 'catch_webhook' || triggerName === 'catch_request' || binding?.type === 'conversation_ended'
  return isStarted ? webhookPath(id) : undefined
}
