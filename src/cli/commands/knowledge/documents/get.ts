import { knowledge } from '../../../../contract/resources/knowledge.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { itemShape } from '../../../output/item-shape.ts'
import { argument, knowledgeFlag, resolveDocument, view } from './view.ts'

export const get = command({
  endpoint: knowledge.getDocument,
  argument,
  flags: [knowledgeFlag],
  examples: ['2 --knowledge 1', '"Opening hours" --knowledge "Practice handbook" --json'],
  view,
  async run(context, invocation) {
    const answer = await sendRequest(context, knowledge.getDocument, await resolveDocument(context, invocation))
    if (answer) await context.out.record(answer.data, itemShape(get) as never)
  },
})
