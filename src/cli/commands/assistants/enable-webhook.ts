import { assistants } from '../../../contract/assistants.ts'
import { command } from '../../command.ts'
import { confirmDone } from '../../deletion.ts'
import { askMissing } from '../../missing.ts'
import { send } from '../../requests.ts'
import { tellChanged } from '../../updating.ts'
import { eventFlag, eventOf, switched, webhooks } from './events.ts'
import { argument } from './view.ts'

export const enableWebhook = command({
  summary: 'Switch on a webhook of an assistant, or give it another address',
  endpoint: assistants.enableConversationEndedWebhook,
  argument,
  fills: ['assistant_id'],
  flags: [eventFlag],
  examples: [
    '1 --event conversation-ended --webhook-url https://hooks.example/ended',
    '"Front desk" --event post-call --webhook-url https://hooks.example/calls',
  ],
  notes: 'An event has one webhook or one automation. Where an automation holds it, nothing is changed: exit 5.',
  async run(context, { argument, input, flags }) {
    const { enable, fields } = webhooks[await eventOf(context, flags)]
    const { id, before } = await switched(context, argument)
    const wanted = await askMissing(context, enable, { ...input, assistant_id: id })
    const answer = await send(context, enable, wanted)
    if (!answer) return
    await confirmDone(context, answer.message, id)
    await tellChanged(context, { before, change: fields(wanted.webhook_url as string) })
  },
})
