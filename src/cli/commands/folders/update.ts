import { folders } from '../../../contract/folders.ts'
import { fromList, readBefore, resolveThing } from '../../before.ts'
import { askChanges, refuseNothing } from '../../changing.ts'
import { command } from '../../command.ts'
import { applyUpdate } from '../../updating.ts'
import { target, view } from './view.ts'

export const update = command({
  endpoint: folders.update,
  argument: { name: 'id', describe: 'Id or name of the folder' },
  examples: ['1 --name evening', '"Front desk" --color null'],
  view,
  async run(context, { argument, input }) {
    refuseNothing(context, input, 'Give --name or --color.')
    const { id, seen } = await resolveThing(context, argument, target)
    const before = await readBefore(context, seen, fromList(target, id))
    await applyUpdate(context, { endpoint: folders.update, ids: { id }, change: await askChanges(context, input), before, next: 'parley folders list' })
  },
})
