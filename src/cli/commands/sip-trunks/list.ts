import { sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import { listCommand } from '../../commandline/list-command.ts'
import { view } from './view.ts'

export const list = listCommand({
  endpoint: sipTrunks.list,
  examples: ['', '--json', '-o id'],
  view,
})
