import { connections } from '../../../../contract/control/connections.ts'
import { command } from '../../../commandline/command.ts'
import { printList } from '../../../output/print-list.ts'
import { accountFlag, resolveAccount, view } from './view.ts'

export const list = command({
  endpoint: connections.list,
  flags: [accountFlag],
  isList: true,
  examples: ['', '--account 1 --json'],
  view,
  run: async (context, { flags }) =>
    printList(context, connections.list, { account: await resolveAccount(context, flags.account) }),
})
