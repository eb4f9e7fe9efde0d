import { knowledge } from '../../../../contract/resources/knowledge.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { requestById } from '../../../input/request-by-id.ts'
import { itemShape } from '../../../output/tables/item-shape.ts'
import { argument, documentTarget, knowledgeFlag, view } from './view.ts'

export const get = command({
  endpoint: knowledge.getDocument,
  argument,
  flags: [knowledgeFlag],
  examples: ['2 --knowledge 1', '"Opening hours" --knowledge "Practice handbook" --json'],
  view,
  async run(context, invocation) {
    const { ids, target } = await documentTarget(context, invocation)
    const answer = await requestById(context, invocation.argument, target, (docId) =>
      sendRequest(context, knowledge.getDocument, { ...ids, docId }),
    )
    if (answer) await context.out.record(answer.data, itemShape(get) as never)
  },
})
