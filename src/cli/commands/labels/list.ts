import { labels } from '../../../contract/resources/labels.ts'
import { command } from '../../commandline/command.ts'
import { printList } from '../../connection/send-request.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: labels.list,
  examples: ['', '--all -o id'],
  view,
  run: (context, { input }) => printList(context, labels.list, input),
})
