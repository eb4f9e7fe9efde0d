import { assistants } from '../../../contract/assistants.ts'
import { command } from '../../command.ts'
import { confirmDone } from '../../deletion.ts'
import { send } from '../../requests.ts'
import { tellChanged } from '../../updating.ts'
import { eventFlag, eventOf, switched, webhooks } from './events.ts'
import { argument } from './view.ts'

export const disableWebhook = command({
  summary: 'Switch off a webhook of an assistant',
  endpoint: assistants.disableConversationEndedWebhook,
  argument,
  fills: ['assistant_id'],
  takes: [],
  flags: [eventFlag],
  examples: ['1 --event conversation-ended', '"Front desk" --event inbound'],
  notes: 'An automation that holds the event stays attached.',
  async run(context, { argument, flags }) {
    const { disable, fields } = webhooks[await eventOf(context, flags)]
    const { id, before } = await switched(context, argument)
    const answer = await send(context, disable, { assistant_id: id })
    if (!answer) return
    await confirmDone(context, answer.message, id)
    await tellChanged(context, { before, change: fields(null) })
  },
})
