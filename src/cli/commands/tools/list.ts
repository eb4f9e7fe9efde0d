import { tools } from '../../../contract/resources/tools.ts'
import { command } from '../../commandline/command.ts'
import { printList } from '../../output/print-list.ts'
import { maskingTools, unmaskFlag } from '../../secrets/tool-credentials.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: tools.list,
  flags: [unmaskFlag],
  isList: true,
  examples: ['', '--json', '--fields id,name,endpoint'],
  view,
  run: (context, { input, flags }) => printList(flags.unmask ? context : maskingTools(context), tools.list, input),
})
