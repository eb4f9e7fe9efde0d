import { accounts } from '../../../../contract/control/accounts.ts'
import { command } from '../../../commandline/command.ts'
import { printList } from '../../../connection/send-request.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: accounts.list,
  examples: ['', '--json'],
  view,
  run: (context, { input }) => printList(context, accounts.list, input),
})
