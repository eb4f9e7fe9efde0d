import { knowledge } from '../../../../contract/knowledge.ts'
import { command } from '../../../command.ts'
import { send } from '../../../requests.ts'
import { printMade } from '../../../result.ts'
import { usage } from '../../../usage.ts'
import { argument, knowledgeFlag, resolveDocument, view } from './view.ts'

export const update = command({
  endpoint: knowledge.updateDocument,
  argument,
  flags: [knowledgeFlag],
  examples: ['2 --knowledge 1 --name Hours', '2 --knowledge 1 --description null'],
  view,
  async run(context, invocation) {
    if (Object.keys(invocation.input).length === 0) throw usage('Nothing to change was given.', 'Give --name or --description.')
    const ids = await resolveDocument(context, invocation)
    const answer = await send(context, knowledge.updateDocument, { ...invocation.input, ...ids })
    if (answer) await printMade(context, answer.message, answer.data, `parley knowledge documents get ${ids.docId} --knowledge ${ids.id}`)
  },
})
