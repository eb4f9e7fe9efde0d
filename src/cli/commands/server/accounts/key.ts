import { accounts } from '../../../../contract/control/accounts.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { resolveId } from '../../../input/resolve-target.ts'
import { keyView } from './key-view.ts'
import { accountTarget } from './update.ts'

export const key = command({
  endpoint: accounts.key,
  argument: { name: 'id', describe: 'Id or name of the account' },
  examples: ['1', '1 --name laptop --json'],
  notes: 'When the key that the profile "local" uses was deleted, the new one takes its place.',
  view: keyView,
  async run(context, { argument, input }) {
    const answer = await sendRequest(context, accounts.key, {
      ...input,
      id: await resolveId(context, argument, accountTarget),
    })
    if (!answer) return
    await context.out.record({ key: answer.token }, { view: keyView })
    await context.notes.note(`${answer.message} Keep the key now: it is not shown again.`)
  },
})
