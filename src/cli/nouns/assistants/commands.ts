// Commands of `assistants`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs and
// flags: they are added, not renamed.

import { type Assistant, assistants } from '../../../contract/resources/assistants.ts'
import { maxPerPage } from '../../../contract/values/page-size.ts'
import { type CommandFlag, command, type Invocation } from '../../program/commandline/command.ts'
import { previewRequest, sendRequest } from '../../program/connection/send-request.ts'
import { inUseNote, printMessage } from '../../program/consent/delete-resource.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { readBeforeWrite } from '../../program/history/undo-unavailable.ts'
import { isSameId } from '../../program/input/ids.ts'
import { resolveId } from '../../program/input/resolve-target.ts'
import { printList } from '../../program/output/print-list.ts'
import { itemShape } from '../../program/output/tables/item-shape.ts'
import { promptChoices } from '../../program/prompts/choices.ts'
import { recordFlag } from '../../program/prompts/equivalent-command.ts'
import { promptMissingFields } from '../../program/prompts/prompt-fields.ts'
import { maskAssistant, maskingAssistants, unmaskFlag } from '../../program/secrets/assistant-credentials.ts'
import { resolveForUpdate, type UpdateTarget } from '../../program/updates/previous-record.ts'
import { noteChanges } from '../../program/updates/send-update.ts'
import { allAssistants, assistantNotFound, findAssistant, readAssistant } from './assistant-record.ts'
import { confirmAssistantDeletion } from './confirm-deletion.ts'
import { statusCommand } from './status-command.ts'
import { argument, target, view } from './view.ts'

type Address = string | null

/**
 * Webhook events of an assistant: the endpoints that enable and disable them, and the assistant fields they change. The names
 * are values of --event, which scripts have; `writtenFields` of resource.ts has the same fields for the history.
 */
const webhookEvents = {
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
type WebhookName = keyof typeof webhookEvents

const names = Object.keys(webhookEvents) as WebhookName[]

const eventFlag: CommandFlag = {
  flags: '--event <event>',
  describe:
    'Event that triggers the webhook: end of a conversation, end of a call, or an inbound call before it is answered',
  choices: names,
  // The names of the events that the platform records.
  hiddenChoices: { 'call.ended': 'post-call' },
}

/** Returns the event given with --event, or prompts for one. */
async function resolveEvent(context: Context, flags: Invocation['flags']): Promise<WebhookName> {
  if (flags.event !== undefined) return flags.event as WebhookName
  if (!context.interactive) throw usageError('Missing --event.', `Pass --event with one of: ${names.join(', ')}.`)
  const event = await (await context.prompts()).select('Which event?', promptChoices(names, String))
  recordFlag(context, '--event', event)
  return event
}

/** The assistant, and its record before the change. */
const resolveAssistant = (context: Context, given: string | undefined): Promise<UpdateTarget<Assistant>> =>
  resolveForUpdate<Assistant>(context, given, target, { read: readAssistant })

export const activate = statusCommand('active', 'Activate an assistant')

export const deactivate = statusCommand('inactive', 'Deactivate an assistant')

export const remove = command({
  confirmsName: true,
  endpoint: assistants.delete,
  argument,
  examples: ['2 --yes', '"Front desk" --confirm "Front desk"'],
  notes: `${inUseNote} Its conversations are not deleted.`,
  async run(context, { argument, flags }) {
    const readAt = context.pauses()
    const id = await resolveId(context, argument, target)
    if (await previewRequest(context, assistants.delete, { id })) return
    const all = await readBeforeWrite('assistant', () => allAssistants(context), '')
    const found = all.find((it) => isSameId(it.id, id))
    if (!found) throw assistantNotFound(id)
    const { item, list } = await confirmAssistantDeletion(context, found, {
      all,
      readAt,
      confirmed: flags.confirm,
    })
    const history = { previous: item, ...(list && { list }) }
    const answer = await context.call(assistants.delete, { id }, { history })
    await printMessage(context, answer.message, id)
  },
})

export const disableWebhook = command({
  summary: 'Disable a webhook of an assistant',
  endpoint: assistants.disableConversationEndedWebhook,
  argument,
  filledFields: ['assistant_id'],
  allowedFields: [],
  reducesHarm: true,
  flags: [eventFlag],
  examples: ['1 --event conversation-ended', '"Front desk" --event inbound'],
  notes: 'An automation that is bound to the event stays bound.',
  async run(context, { argument, flags }) {
    const { disable, fields } = webhookEvents[await resolveEvent(context, flags)]
    const { id, previous } = await resolveAssistant(context, argument)
    const answer = await sendRequest(context, disable, { assistant_id: id }, { history: { previous } })
    if (!answer) return
    await printMessage(context, answer.message, id)
    await noteChanges(context, { previous, change: fields(null) })
  },
})

export const enableWebhook = command({
  summary: 'Enable a webhook or change its URL',
  endpoint: assistants.enableConversationEndedWebhook,
  argument,
  filledFields: ['assistant_id'],
  flags: [eventFlag],
  examples: [
    '1 --event conversation-ended --webhook-url https://hooks.example/ended',
    '"Front desk" --event post-call --webhook-url https://hooks.example/calls',
  ],
  notes:
    'An event has one webhook or one automation. If an automation is bound to it, the command fails with exit code 5.',
  async run(context, { argument, input, flags }) {
    const { enable, fields } = webhookEvents[await resolveEvent(context, flags)]
    const { id, previous } = await resolveAssistant(context, argument)
    const wanted = await promptMissingFields(context, enable, { ...input, assistant_id: id })
    const answer = await sendRequest(context, enable, wanted, { history: { previous } })
    if (!answer) return
    await printMessage(context, answer.message, id)
    await noteChanges(context, { previous, change: fields(wanted.webhook_url as string) })
  },
})

export const get = command({
  summary: 'Show an assistant',
  endpoint: assistants.list,
  argument,
  flags: [unmaskFlag],
  examples: ['1', '"Front desk" -o yaml'],
  notes:
    'The platform has no endpoint for a single assistant, so the command searches the list. You can pass the output to "parley assistants update --file".',
  view,
  async run(context, { argument, flags }) {
    if (await previewRequest(context, assistants.list, { per_page: maxPerPage })) return
    const assistant = await findAssistant(context, argument)
    await context.out.record(
      flags.unmask ? assistant : maskAssistant(assistant),
      itemShape({ endpoint: assistants.list }),
    )
  },
})

export const list = command({
  endpoint: assistants.list,
  flags: [unmaskFlag],
  isList: true,
  examples: ['', '--all --json', '--fields id,name,mode,phone_number_id'],
  view,
  run: (context, { input, flags }) =>
    printList(flags.unmask ? context : maskingAssistants(context), assistants.list, input),
})
