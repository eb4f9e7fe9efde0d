import { folders } from '../../../contract/resources/folders.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { printWriteResult } from '../../output/print-result.ts'
import { promptMissingFields } from '../../prompts/prompt-fields.ts'
import { view } from './view.ts'

export const create = command({
  endpoint: folders.create,
  examples: ['--name evening', '--name evening --color teal -o id'],
  view,
  async run(context, { input }) {
    const answer = await sendRequest(context, folders.create, await promptMissingFields(context, folders.create, input))
    if (answer) await printWriteResult(context, answer.message, answer.data, 'parley folders list')
  },
})
