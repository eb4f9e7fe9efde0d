import { knowledge } from '../../../../contract/knowledge.ts'
import { command } from '../../../command.ts'
import { sendRequest } from '../../../requests.ts'
import { itemShape } from '../../../shape.ts'
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
