import { keys } from '../../../contract/resources/keys.ts'
import { command } from '../../commandline/command.ts'
import { printList } from '../../connection/send-request.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: keys.list,
  examples: ['', '--json', '-o id'],
  view,
  run: (context, { input }) => printList(context, keys.list, input),
})
