import { type Assistant, assistants } from '../../../contract/assistants.ts'
import { gaveFlag } from '../../answered.ts'
import { readBefore, resolveThing } from '../../before.ts'
import { choices } from '../../choices.ts'
import type { Invocation, OwnFlag } from '../../command.ts'
import type { Context } from '../../context.ts'
import { usage } from '../../usage.ts'
import { findAssistant } from './record.ts'
import { target } from './view.ts'

type Address = string | null

/** The events of an assistant with a webhook of their own, the calls that switch it, and how it stands in the assistant. */
export const webhooks = {
  'conversation-ended': {
    enable: assistants.enableConversationEndedWebhook,
    disable: assistants.disableConversationEndedWebhook,
    fields: (url: Address) => ({ conversation_ended_webhook_url: url }),
  },
  'post-call': {
    enable: assistants.enablePostCallWebhook,
    disable: assistants.disablePostCallWebhook,
    fields: (url: Address) => ({ webhook_url: url, is_webhook_active: url !== null }),
  },
  inbound: { enable: assistants.enableInboundWebhook, disable: assistants.disableInboundWebhook, fields: (url: Address) => ({ inbound_webhook_url: url }) },
} as const
export type WebhookName = keyof typeof webhooks

const names = Object.keys(webhooks) as WebhookName[]

export const eventFlag: OwnFlag = {
  flags: '--event <event>',
  describe: 'When it is sent: a chat conversation ended, a call ended, or before an inbound call is answered',
  choices: names,
}

/** The event meant; asked for on a terminal. */
export async function eventOf(context: Context, flags: Invocation['flags']): Promise<WebhookName> {
  if (flags.event !== undefined) return flags.event as WebhookName
  if (!context.interactive) throw usage('Missing: --event.', `Give it as a flag: ${names.join(', ')}.`)
  const event = await (await context.prompts()).select('Event:', choices(names, String))
  gaveFlag(context, '--event', event)
  return event
}

/** The assistant meant, and how it is before its webhook is switched, for whoever is told the difference. */
export async function switched(context: Context, given: string | undefined): Promise<{ readonly id: number; readonly before: Assistant | undefined }> {
  const { id, seen } = await resolveThing(context, given, target)
  return { id, before: await readBefore(context, seen as Assistant | undefined, (from) => findAssistant(from, String(id))) }
}
