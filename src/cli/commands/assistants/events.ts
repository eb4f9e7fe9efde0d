import { assistants } from '../../../contract/assistants.ts'
import { choices } from '../../choices.ts'
import type { Invocation, OwnFlag } from '../../command.ts'
import type { Context } from '../../context.ts'
import { usage } from '../../usage.ts'

/** The events of an assistant with a webhook of their own, and the calls that switch it. */
export const webhooks = {
  'conversation-ended': { enable: assistants.enableConversationEndedWebhook, disable: assistants.disableConversationEndedWebhook },
  'post-call': { enable: assistants.enablePostCallWebhook, disable: assistants.disablePostCallWebhook },
  inbound: { enable: assistants.enableInboundWebhook, disable: assistants.disableInboundWebhook },
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
  return (await context.prompts()).select('Event:', choices(names, String))
}
