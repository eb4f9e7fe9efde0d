import { knowledge } from '../../../contract/resources/knowledge.ts'
import { listCommand } from '../../commandline/list-command.ts'
import { view } from './view.ts'

export const list = listCommand({
  endpoint: knowledge.list,
  examples: ['', '--fields id,name,status'],
  view,
})
