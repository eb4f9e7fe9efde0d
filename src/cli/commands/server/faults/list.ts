import { faults } from '../../../../contract/faults.ts'
import { command } from '../../../command.ts'
import { printList } from '../../../requests.ts'
import { view } from './view.ts'

export const list = command({ endpoint: faults.list, examples: ['', '--json'], view, run: (context, { input }) => printList(context, faults.list, input) })
