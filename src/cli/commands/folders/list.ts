import { folders } from '../../../contract/folders.ts'
import { command } from '../../command.ts'
import { printList } from '../../requests.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: folders.list,
  examples: ['', '--all -o id'],
  view,
  run: (context, { input }) => printList(context, folders.list, input),
})
