import { assistants } from '../../../contract/assistants.ts'
import { command } from '../../command.ts'
import { confirmDone } from '../../deletion.ts'
import { send } from '../../requests.ts'
import { resolveId } from '../../target.ts'
import { eventFlag, eventOf, webhooks } from './events.ts'
import { argument, target } from './view.ts'

export const disableWebhook = command({
  summary: 'Switch off a webhook of an assistant',
  endpoint: assistants.disableConversationEndedWebhook,
  argument,
  fills: ['assistant_id'],
  flags: [eventFlag],
  examples: ['1 --event conversation-ended', '"Front desk" --event inbound'],
  notes: 'An automation that holds the event stays attached.',
  async run(context, { argument, flags }) {
    const { disable } = webhooks[await eventOf(context, flags)]
    const assistant_id = await resolveId(context, argument, target)
    const answer = await send(context, disable, { assistant_id })
    if (answer) await confirmDone(context, answer.message, assistant_id)
  },
})
