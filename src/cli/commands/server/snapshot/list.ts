import { snapshots } from '../../../../contract/control/snapshots.ts'
import { listCommand } from '../../../commandline/list-command.ts'
import { view } from './view.ts'

export const list = listCommand({
  endpoint: snapshots.list,
  examples: ['', '--json'],
  view,
})
