import { assistants } from '../../../contract/resources/assistants.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { printMessage } from '../../consent/delete-resource.ts'
import { promptMissingFields } from '../../prompts/prompt-fields.ts'
import { noteChanges } from '../../updates/send-update.ts'
import { argument } from './view.ts'
import { eventFlag, resolveAssistant, resolveEvent, webhookEvents } from './webhook-events.ts'

export const enableWebhook = command({
  summary: 'Enable a webhook of an assistant or change its URL',
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
