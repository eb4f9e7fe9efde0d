import { snapshots } from '../../../../contract/control/snapshots.ts'
import { listCommand } from '../../../commandline/list-command.ts'
import { view } from './view.ts'

export const list = listCommand({
  endpoint: snapshots.list,
  examples: ['', '--json'],
  notes:
    'Saved is the time of this computer, which moving the clock of the platform does not change. --since and --until compare the platform time that a snapshot has.',
  view,
})
