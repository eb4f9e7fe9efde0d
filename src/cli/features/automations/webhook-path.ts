import type { Automation } from '../../../contract/automations/automation-records.ts'
import { webhookPathOf } from '../../../contract/automations/webhook-path.ts'
import type { Context } from '../../program/context.ts'

/** Returns the URL of the webhook that starts an automation, or its path on a platform without an address. */
export async function webhookUrl(context: Context, automation: Automation): Promise<string | undefined> {
  const path = webhookPathOf(automation)
  if (path === undefined) return undefined
  const { base } = await context.connection()
  return /^https?:/.test(base) ? `${base.replace(/\/+$/, '')}${path}` : path
}
