import { labels } from '../../../contract/labels.ts'
import { command } from '../../command.ts'
import { printList } from '../../requests.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: labels.list,
  examples: ['', '--all -o id'],
  view,
  run: (context, { input }) => printList(context, labels.list, input),
})
