import { folders } from '../../../contract/folders.ts'
import { command } from '../../command.ts'
import { askMissing } from '../../missing.ts'
import { send } from '../../requests.ts'
import { printMade } from '../../result.ts'
import { view } from './view.ts'

export const create = command({
  endpoint: folders.create,
  examples: ['--name evening', '--name evening --color teal -o id'],
  view,
  async run(context, { input }) {
    const answer = await send(context, folders.create, await askMissing(context, folders.create, input))
    if (answer) await printMade(context, answer.message, answer.data, 'parley folders list')
  },
})
