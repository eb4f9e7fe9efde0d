import { webhooks } from '../../../../contract/control/webhooks.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { usageError } from '../../../errors/usage-error.ts'
import { printWriteResult } from '../../../output/print-result.ts'
import { accountFlag, resolveAccount } from '../connections/view.ts'

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
