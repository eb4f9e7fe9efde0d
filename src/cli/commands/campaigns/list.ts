import { campaigns } from '../../../contract/resources/campaigns.ts'
import { command } from '../../commandline/command.ts'
import { printList } from '../../output/print-list.ts'
import { assistantNames } from './assistant-names.ts'
import { view, viewWith } from './view.ts'

export const list = command({
  endpoint: campaigns.list,
  isList: true,
  examples: ['', '--json', '--fields id,name,status'],
  view,
  run: async (context, { input }) =>
    printList(context, campaigns.list, input, { view: viewWith(await assistantNames(context)) as never }),
})
