import { type Assistant, assistants } from '../../../contract/resources/assistants.ts'
import type { CommandFlag, Invocation } from '../../commandline/command.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { promptChoices } from '../../prompts/choices.ts'
import { recordFlag } from '../../prompts/equivalent-command.ts'
import { resolveForUpdate, type UpdateTarget } from '../../updates/previous-record.ts'
import { readAssistant } from './assistant-record.ts'
import { target } from './view.ts'

type Address = string | null

/** Webhook events of an assistant: the endpoints that enable and disable them, and the assistant fields they change. */
export const webhookEvents = {
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
  inbound: {
    enable: assistants.enableInboundWebhook,
    disable: assistants.disableInboundWebhook,
    fields: (url: Address) => ({ inbound_webhook_url: url }),
  },
} as const
export type WebhookName = keyof typeof webhookEvents

const names = Object.keys(webhookEvents) as WebhookName[]

export const eventFlag: CommandFlag = {
  flags: '--event <event>',
  describe:
    'Event that triggers the webhook: end of a conversation, end of a call, or an inbound call before it is answered',
  choices: names,
  // The names of the events that the platform records.
  hiddenChoices: { 'call.ended': 'post-call' },
}

/** Returns the event given with --event, or prompts for one. */
export async function resolveEvent(context: Context, flags: Invocation['flags']): Promise<WebhookName> {
  if (flags.event !== undefined) return flags.event as WebhookName
  if (!context.interactive) throw usageError('Missing --event.', `Pass --event with one of: ${names.join(', ')}.`)
  const event = await (await context.prompts()).select('Which event?', promptChoices(names, String))
  recordFlag(context, '--event', event)
  return event
}

/** The assistant, and its record before the change. */
export const resolveAssistant = (context: Context, given: string | undefined): Promise<UpdateTarget<Assistant>> =>
  resolveForUpdate<Assistant>(context, given, target, { read: readAssistant })
