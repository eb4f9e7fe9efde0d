import { labels } from '../../../contract/resources/labels.ts'
import { listCommand } from '../../commandline/list-command.ts'
import { view } from './view.ts'

export const list = listCommand({
  endpoint: labels.list,
  examples: ['', '--all -o id'],
  view,
})
