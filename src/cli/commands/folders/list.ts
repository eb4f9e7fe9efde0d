import { folders } from '../../../contract/resources/folders.ts'
import { listCommand } from '../../commandline/list-command.ts'
import { view } from './view.ts'

export const list = listCommand({
  endpoint: folders.list,
  examples: ['', '--all -o id'],
  view,
})
