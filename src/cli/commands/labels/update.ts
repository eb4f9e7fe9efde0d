import { labels } from '../../../contract/resources/labels.ts'
import { updateCommand } from '../../commandline/update-command.ts'
import { target, view } from './view.ts'

export const update = updateCommand({
  endpoint: labels.update,
  argument: { name: 'id', describe: 'Id or name of the label' },
  examples: ['1 --name evening', 'production --color null'],
  view,
  target,
  changesHint: 'Pass --name or --color.',
  next: () => 'parley labels list',
})
