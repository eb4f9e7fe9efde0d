import { keys } from '../../../contract/resources/keys.ts'
import { listCommand } from '../../commandline/list-command.ts'
import { view } from './view.ts'

export const list = listCommand({
  endpoint: keys.list,
  examples: ['', '--json', '-o id'],
  view,
})
