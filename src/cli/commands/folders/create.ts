import { folders } from '../../../contract/folders.ts'
import { command } from '../../command.ts'
import { promptMissingFields } from '../../missing.ts'
import { sendRequest } from '../../requests.ts'
import { printWriteResult } from '../../result.ts'
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
