import { accounts } from '../../../../contract/control.ts'
import { command } from '../../../command.ts'
import { printList } from '../../../requests.ts'
import { view } from './view.ts'

export const list = command({ endpoint: accounts.list, examples: ['', '--json'], view, run: (context, { input }) => printList(context, accounts.list, input) })
