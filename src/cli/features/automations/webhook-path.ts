import type { Automation } from '../../../contract/automations/automation-records.ts'
import type { Context } from '../../program/context.ts'

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

/** Returns the URL of the webhook that starts an automation, or its path on a platform without an address. */
export async function webhookUrl(context: Context, automation: Automation): Promise<string | undefined> {
  const path = webhookPathOf(automation)
  if (path === undefined) return undefined
  const { base } = await context.connection()
  return /^https?:/.test(base) ? `${base.replace(/\/+$/, '')}${path}` : path
}

/** Returns the path of the webhook of an automation. */
export const webhookPath = (id: string): string => `/automate/api/v1/webhooks/${id}`
