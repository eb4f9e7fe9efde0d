import { snapshots } from '../../../../contract/control/snapshots.ts'
import { command } from '../../../commandline/command.ts'
import { printList } from '../../../connection/send-request.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: snapshots.list,
  examples: ['', '--json'],
  view,
  run: (context, { input }) => printList(context, snapshots.list, input),
})
