import { webhooks } from '../../../../contract/deliveries.ts'
import { messaging } from '../../../../contract/messaging.ts'
import { command } from '../../../command.ts'
import { send } from '../../../requests.ts'
import { printMade } from '../../../result.ts'
import { resolveId, type Target } from '../../../target.ts'
import { usage } from '../../../usage.ts'
import { accountFlag, accountId } from '../connections/view.ts'

const target: Target = {
  thing: 'sender',
  list: messaging.senders,
  within: { status: 'all' },
  listed: 'messaging senders --status all',
  by: ['phone_number', 'display_name'],
  label: (it) => `${it.display_name}, ${it.phone_number} (${it.id})`,
}

export const sender = command({
  endpoint: webhooks.sender,
  fills: ['account'],
  argument: { name: 'id', describe: 'Id, number or name of the sender' },
  flags: [accountFlag],
  examples: ['1 --webhook-url https://example.com/status', '1 --webhook-url null'],
  notes: 'Deliveries carry the header X-Signature-256 beside those of Standard Webhooks.',
  async run(context, { argument, input, flags }) {
    if (input.webhook_url === undefined) throw usage('Where is the status to be told?', 'Give --webhook-url <address>, or --webhook-url null for nowhere.')
    const id = await resolveId(context, argument, target)
    const answer = await send(context, webhooks.sender, { ...input, id, account: await accountId(context, flags.account) })
    if (answer) await printMade(context, answer.message, answer.data, 'parley server deliveries list --event message_status')
  },
})
