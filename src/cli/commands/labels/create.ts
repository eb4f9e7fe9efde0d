import { labels } from '../../../contract/resources/labels.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { printWriteResult } from '../../output/print-result.ts'
import { promptMissingFields } from '../../prompts/prompt-fields.ts'
import { view } from './view.ts'

export const create = command({
  endpoint: labels.create,
  examples: ['--name evening', '--name evening --color teal -o id'],
  view,
  async run(context, { input }) {
    const answer = await sendRequest(context, labels.create, await promptMissingFields(context, labels.create, input))
    if (answer) await printWriteResult(context, answer.message, answer.data, 'parley labels list')
  },
})
