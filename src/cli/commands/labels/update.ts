import { labels } from '../../../contract/labels.ts'
import { fromList, readBefore, resolveThing } from '../../before.ts'
import { command } from '../../command.ts'
import { applyUpdate } from '../../updating.ts'
import { usage } from '../../usage.ts'
import { target, view } from './view.ts'

export const update = command({
  endpoint: labels.update,
  argument: { name: 'id', describe: 'Id or name of the label' },
  examples: ['1 --name evening', 'production --label-color null'],
  view,
  async run(context, { argument, input }) {
    if (Object.keys(input).length === 0) throw usage('Nothing to change was given.', 'Give --name or --label-color.')
    const { id, seen } = await resolveThing(context, argument, target)
    const before = await readBefore(context, seen, fromList(target, id))
    await applyUpdate(context, { endpoint: labels.update, ids: { id }, change: input, before, next: 'parley labels list' })
  },
})
