import { webhooks } from '../../../../contract/deliveries.ts'
import { command } from '../../../command.ts'
import { send } from '../../../requests.ts'
import { printMade } from '../../../result.ts'
import { usage } from '../../../usage.ts'
import { accountFlag, accountId } from '../connections/view.ts'

export const runs = command({
  endpoint: webhooks.runs,
  fills: ['account'],
  flags: [accountFlag],
  examples: ['--webhook-url https://example.com/failed-runs', '--webhook-url null'],
  notes: 'Each live run of an automation that fails is sent as the event automation_run_failed, signed as other webhooks. Test runs are not sent.',
  async run(context, { input, flags }) {
    if (input.webhook_url === undefined) throw usage('Missing --webhook-url.', 'Pass the URL that should receive failed runs, or null for none.')
    const answer = await send(context, webhooks.runs, { ...input, account: await accountId(context, flags.account) })
    if (answer) await printMade(context, answer.message, answer.data, 'parley server deliveries list --event automation_run_failed')
  },
})
