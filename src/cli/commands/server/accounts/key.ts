import { accounts } from '../../../../contract/control/accounts.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { requestById } from '../../../input/request-by-id.ts'
import { keyView } from './key-view.ts'
import { accountTarget } from './update.ts'

export const key = command({
  endpoint: accounts.key,
  argument: { name: 'id', describe: 'Id or name of the account' },
  examples: ['1', '1 --name laptop --json'],
  notes: 'If the key of the profile "local" was deleted, the new key replaces it.',
  view: keyView,
  async run(context, { argument, input }) {
    const answer = await requestById(context, argument, accountTarget, (id) =>
      sendRequest(context, accounts.key, { ...input, id }),
    )
    if (!answer) return
    await context.out.record({ key: answer.token }, { view: keyView })
    await context.notes.note(`${answer.message} Save the key now. It is not shown again.`)
  },
})
