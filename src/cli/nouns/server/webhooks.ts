// Commands of `server webhooks`: tree.ts loads each by its export. Scripts have verbs and flags: they are added, not renamed.

import { webhooks } from '../../../contract/control/webhooks.ts'
import { messaging } from '../../../contract/resources/messaging.ts'
import { command } from '../../program/commandline/command.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { requestById } from '../../program/input/request-by-id.ts'
import { idView } from '../../program/output/format.ts'
import { printWriteResult } from '../../program/output/print-result.ts'
import type { Target } from '../../program/resources/resource.ts'
import { accountFlag, resolveAccount } from './connections.ts'

export const runs = command({
  endpoint: webhooks.runs,
  filledFields: ['account'],
  flags: [accountFlag],
  examples: ['--webhook-url https://example.com/failed-runs', '--webhook-url null'],
  notes:
    'Each live run of an automation that fails is sent as the event automation_run_failed, signed like other webhooks. Test runs are not sent.',
  async run(context, { input, flags }) {
    if (input.webhook_url === undefined)
      throw usageError('Missing --webhook-url.', 'Pass the URL that should receive failed runs, or null for none.')
    const answer = await sendRequest(context, webhooks.runs, {
      ...input,
      account: await resolveAccount(context, flags.account),
    })
    if (answer)
      await printWriteResult(
        context,
        answer.message,
        answer.data,
        'parley server deliveries list --event automation_run_failed',
      )
  },
})

export const secret = command({
  endpoint: webhooks.secret,
  filledFields: ['account'],
  flags: [
    accountFlag,
    { flags: '--rotate', describe: 'Create a new secret; the previous one also signs for 24 hours' },
  ],
  examples: ['', '-o id', '--rotate --account 1'],
  notes:
    'Webhooks have the Standard Webhooks headers: webhook-id, webhook-timestamp, webhook-signature. Verify them with this secret and any Standard Webhooks library.',
  risk: 'write',
  view: idView((it: { secret: string }) => it.secret),
  async run(context, { flags }) {
    const endpoint = flags.rotate ? webhooks.rotate : webhooks.secret
    const answer = await sendRequest(context, endpoint, { account: await resolveAccount(context, flags.account) })
    if (answer) await context.out.record(answer, { view: idView(() => answer.secret) })
  },
})

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
