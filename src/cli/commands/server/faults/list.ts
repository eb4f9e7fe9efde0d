import { faults } from '../../../../contract/control/faults.ts'
import { command } from '../../../commandline/command.ts'
import { printList } from '../../../connection/send-request.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: faults.list,
  examples: ['', '--json'],
  view,
  run: (context, { input }) => printList(context, faults.list, input),
})
