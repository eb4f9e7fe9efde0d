import { folders } from '../../../contract/resources/folders.ts'
import { command } from '../../commandline/command.ts'
import { findInList, resolveForUpdate } from '../../updates/previous-record.ts'
import { promptChanges, requireChanges } from '../../updates/prompt-changes.ts'
import { applyUpdate } from '../../updates/send-update.ts'
import { target, view } from './view.ts'

export const update = command({
  endpoint: folders.update,
  argument: { name: 'id', describe: 'Id or name of the folder' },
  examples: ['1 --name evening', '"Front desk" --color null'],
  view,
  async run(context, { argument, input }) {
    requireChanges(context, input, 'Pass --name or --color.')
    const { id, previous } = await resolveForUpdate(context, argument, target, { read: findInList(target) })
    await applyUpdate(context, {
      endpoint: folders.update,
      ids: { id },
      change: await promptChanges(context, input),
      previous,
      next: 'parley folders list',
    })
  },
})
