import { numbers } from '../../../contract/numbers.ts'
import { command } from '../../command.ts'
import { printList } from '../../requests.ts'
import { ownedNumberView } from './view.ts'

export const list = command({
  endpoint: numbers.list,
  examples: ['', '-o tsv'],
  view: ownedNumberView,
  run: (context, { input }) => printList(context, numbers.list, input),
})
