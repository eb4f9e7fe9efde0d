import { faults } from '../../../../contract/control/faults.ts'
import { listCommand } from '../../../commandline/list-command.ts'
import { view } from './view.ts'

export const list = listCommand({
  endpoint: faults.list,
  examples: ['', '--json'],
  view,
})
