import { knowledge } from '../../../contract/resources/knowledge.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { printWriteResult } from '../../output/print-result.ts'
import { promptMissingFields } from '../../prompts/prompt-fields.ts'
import { view } from './view.ts'

export const create = command({
  endpoint: knowledge.create,
  examples: ['--name "Price list"', '--name Insurers --description "Plans the practice accepts" -o id'],
  view,
  async run(context, { input }) {
    const answer = await sendRequest(
      context,
      knowledge.create,
      await promptMissingFields(context, knowledge.create, input),
    )
    if (answer)
      await printWriteResult(
        context,
        answer.message,
        answer.data,
        `parley knowledge documents create ${answer.data.id}`,
      )
  },
})
