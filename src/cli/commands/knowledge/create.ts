import { knowledge } from '../../../contract/knowledge.ts'
import { command } from '../../command.ts'
import { promptMissingFields } from '../../missing.ts'
import { sendRequest } from '../../requests.ts'
import { printWriteResult } from '../../result.ts'
import { view } from './view.ts'

export const create = command({
  endpoint: knowledge.create,
  examples: ['--name "Price list"', '--name Insurers --description "Plans the practice accepts" -o id'],
  view,
  async run(context, { input }) {
    const answer = await sendRequest(context, knowledge.create, await promptMissingFields(context, knowledge.create, input))
    if (answer) await printWriteResult(context, answer.message, answer.data, `parley knowledge documents create ${answer.data.id}`)
  },
})
