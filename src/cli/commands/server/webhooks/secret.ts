import { webhooks } from '../../../../contract/control/webhooks.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { accountFlag, resolveAccount } from '../connections/view.ts'

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
  view: { id: (it: { secret: string }) => it.secret, columns: [], empty: '' },
  async run(context, { flags }) {
    const endpoint = flags.rotate ? webhooks.rotate : webhooks.secret
    const answer = await sendRequest(context, endpoint, { account: await resolveAccount(context, flags.account) })
    if (answer) await context.out.record(answer, { view: { id: () => answer.secret, columns: [], empty: '' } } as never)
  },
})
