import { accounts } from '../../../../contract/control/accounts.ts'
import { listCommand } from '../../../commandline/list-command.ts'
import { view } from './view.ts'

export const list = listCommand({
  endpoint: accounts.list,
  examples: ['', '--json'],
  view,
})
