import { labels } from '../../../contract/resources/labels.ts'
import { createCommand } from '../../commandline/create-command.ts'
import { view } from './view.ts'

export const create = createCommand({
  endpoint: labels.create,
  examples: ['--name evening', '--name evening --color teal -o id'],
  view,
  next: () => 'parley labels list',
})
