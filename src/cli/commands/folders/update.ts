import { folders } from '../../../contract/folders.ts'
import { command } from '../../command.ts'
import { send } from '../../requests.ts'
import { printMade } from '../../result.ts'
import { resolveId } from '../../target.ts'
import { usage } from '../../usage.ts'
import { target, view } from './view.ts'

export const update = command({
  endpoint: folders.update,
  argument: { name: 'id', describe: 'Id or name of the folder' },
  examples: ['1 --name evening', '"Front desk" --folder-color null'],
  view,
  async run(context, { argument, input }) {
    if (Object.keys(input).length === 0) throw usage('Nothing to change was given.', 'Give --name or --folder-color.')
    const id = await resolveId(context, argument, target)
    const answer = await send(context, folders.update, { ...input, id })
    if (answer) await printMade(context, answer.message, answer.data, 'parley folders list')
  },
})
