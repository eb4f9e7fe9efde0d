import { keys } from '../../../contract/keys.ts'
import { command } from '../../command.ts'
import { printList } from '../../requests.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: keys.list,
  examples: ['', '--json', '-o id'],
  view,
  run: (context, { input }) => printList(context, keys.list, input),
})
