import { folders } from '../../../contract/resources/folders.ts'
import { updateCommand } from '../../commandline/update-command.ts'
import { target, view } from './view.ts'

export const update = updateCommand({
  endpoint: folders.update,
  argument: { name: 'id', describe: 'Id or name of the folder' },
  examples: ['1 --name evening', '"Front desk" --color null'],
  view,
  target,
  changesHint: 'Pass --name or --color.',
  next: () => 'parley folders list',
})
