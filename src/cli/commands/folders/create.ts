import { folders } from '../../../contract/resources/folders.ts'
import { createCommand } from '../../commandline/create-command.ts'
import { view } from './view.ts'

export const create = createCommand({
  endpoint: folders.create,
  examples: ['--name evening', '--name evening --color teal -o id'],
  view,
  next: () => 'parley folders list',
})
