import { snapshots } from '../../../../contract/snapshots.ts'
import { command } from '../../../command.ts'
import { printList } from '../../../requests.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: snapshots.list,
  examples: ['', '--json'],
  view,
  run: (context, { input }) => printList(context, snapshots.list, input),
})
