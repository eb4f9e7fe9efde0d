import { assistants } from '../../../contract/resources/assistants.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { printMessage } from '../../consent/delete-resource.ts'
import { noteChanges } from '../../updates/send-update.ts'
import { argument } from './view.ts'
import { eventFlag, resolveAssistant, resolveEvent, webhookEvents } from './webhook-events.ts'

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
