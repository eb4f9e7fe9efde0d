import { labels } from '../../../contract/labels.ts'
import { command } from '../../command.ts'
import { send } from '../../requests.ts'
import { printMade } from '../../result.ts'
import { resolveId } from '../../target.ts'
import { usage } from '../../usage.ts'
import { target, view } from './view.ts'

export const update = command({
  endpoint: labels.update,
  argument: { name: 'id', describe: 'Id or name of the label' },
  examples: ['1 --name evening', 'production --label-color null'],
  view,
  async run(context, { argument, input }) {
    if (Object.keys(input).length === 0) throw usage('Nothing to change was given.', 'Give --name or --label-color.')
    const id = await resolveId(context, argument, target)
    const answer = await send(context, labels.update, { ...input, id })
    if (answer) await printMade(context, answer.message, answer.data, 'parley labels list')
  },
})
