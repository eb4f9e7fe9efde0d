import { folders } from '../../../contract/folders.ts'
import { findInList, readPrevious, resolveRecord } from '../../before.ts'
import { promptChanges, requireChanges } from '../../changing.ts'
import { command } from '../../command.ts'
import { applyUpdate } from '../../updating.ts'
import { target, view } from './view.ts'

export const update = command({
  endpoint: folders.update,
  argument: { name: 'id', describe: 'Id or name of the folder' },
  examples: ['1 --name evening', '"Front desk" --color null'],
  view,
  async run(context, { argument, input }) {
    requireChanges(context, input, 'Give --name or --color.')
    const { id, record } = await resolveRecord(context, argument, target)
    const before = await readPrevious(context, record, findInList(target, id))
    await applyUpdate(context, { endpoint: folders.update, ids: { id }, change: await promptChanges(context, input), before, next: 'parley folders list' })
  },
})
