import { numbers } from '../../../contract/resources/numbers.ts'
import { command } from '../../commandline/command.ts'
import { printList } from '../../connection/send-request.ts'
import { ownedNumberView } from './view.ts'

export const list = command({
  endpoint: numbers.list,
  examples: ['', '-o tsv'],
  view: ownedNumberView,
  run: (context, { input }) => printList(context, numbers.list, input),
})
