import { tools } from '../../../contract/tools.ts'
import { command } from '../../command.ts'
import { printList } from '../../requests.ts'
import { maskingTools, unmaskFlag } from './secrets.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: tools.list,
  flags: [unmaskFlag],
  examples: ['', '--json', '--fields id,name,endpoint'],
  view,
  run: (context, { input, flags }) => printList(flags.unmask ? context : maskingTools(context), tools.list, input),
})
