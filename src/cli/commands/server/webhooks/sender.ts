import { webhooks } from '../../../../contract/control/webhooks.ts'
import { messaging } from '../../../../contract/resources/messaging.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { usageError } from '../../../errors/usage-error.ts'
import { requestById } from '../../../input/request-by-id.ts'
import type { Target } from '../../../input/resolve-target.ts'
import { printWriteResult } from '../../../output/print-result.ts'
import { accountFlag, resolveAccount } from '../connections/view.ts'

const target: Target = {
  singular: 'sender',
  list: messaging.senders,
  within: { status: 'all' },
  listCommand: 'messaging senders --status all',
  by: ['phone_number', 'display_name'],
  label: (it) => `${it.display_name}, ${it.phone_number} (${it.id})`,
}

export const sender = command({
  endpoint: webhooks.sender,
  filledFields: ['account'],
  argument: { name: 'id', describe: 'Id, number or name of the sender' },
  flags: [accountFlag],
  examples: ['1 --webhook-url https://example.com/status', '1 --webhook-url null'],
  notes: 'Deliveries have the header X-Signature-256 in addition to the Standard Webhooks headers.',
  async run(context, { argument, input, flags }) {
    if (input.webhook_url === undefined)
      throw usageError('Missing --webhook-url.', 'Pass the URL that should receive status callbacks, or null for none.')
    const answer = await requestById(context, argument, target, async (id) =>
      sendRequest(context, webhooks.sender, { ...input, id, account: await resolveAccount(context, flags.account) }),
    )
    if (answer)
      await printWriteResult(
        context,
        answer.message,
        answer.data,
        'parley server deliveries list --event message_status',
      )
  },
})
