import { folders } from '../../../contract/resources/folders.ts'
import { command } from '../../commandline/command.ts'
import { printList } from '../../connection/send-request.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: folders.list,
  examples: ['', '--all -o id'],
  view,
  run: (context, { input }) => printList(context, folders.list, input),
})
