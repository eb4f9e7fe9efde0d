import { knowledge } from '../../../../contract/resources/knowledge.ts'
import { command } from '../../../commandline/command.ts'
import { requestById } from '../../../input/request-by-id.ts'
import { printList } from '../../../output/print-list.ts'
import { argument, target } from '../view.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: knowledge.listDocuments,
  argument,
  isList: true,
  examples: ['1', '"Practice handbook" --fields name,status'],
  view,
  run: async (context, { argument: given }) =>
    requestById(context, given, target, (id) => printList(context, knowledge.listDocuments, { id })),
})
