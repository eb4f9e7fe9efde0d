import { knowledge } from '../../../../contract/knowledge.ts'
import { command } from '../../../command.ts'
import { printList } from '../../../requests.ts'
import { resolveId } from '../../../target.ts'
import { argument, target } from '../view.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: knowledge.listDocuments,
  argument,
  examples: ['1', '"Practice handbook" --fields name,status'],
  view,
  run: async (context, { argument: given }) => printList(context, knowledge.listDocuments, { id: await resolveId(context, given, target) }),
})
