import { assistants } from '../../../contract/assistants.ts'
import { command } from '../../command.ts'
import { confirmDone } from '../../deletion.ts'
import { askMissing } from '../../missing.ts'
import { send } from '../../requests.ts'
import { resolveId } from '../../target.ts'
import { eventFlag, eventOf, webhooks } from './events.ts'
import { argument, target } from './view.ts'

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
    const { enable } = webhooks[await eventOf(context, flags)]
    const assistant_id = await resolveId(context, argument, target)
    const answer = await send(context, enable, await askMissing(context, enable, { ...input, assistant_id }))
    if (answer) await confirmDone(context, answer.message, assistant_id)
  },
})
