import { automate } from '../../../contract/resources/automate.ts'
import { listCommand } from '../../commandline/list-command.ts'
import { view } from './view.ts'

export const list = listCommand({
  endpoint: automate.list,
  examples: ['', '--json', '--fields id,name,status'],
  view,
})
