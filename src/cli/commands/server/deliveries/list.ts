import { deliveries } from '../../../../contract/control/deliveries.ts'
import { listCommand } from '../../../commandline/list-command.ts'
import { view } from './view.ts'

export const list = listCommand({
  endpoint: deliveries.list,
  examples: ['', '--failed --since 24h', '--event conversation_ended --json'],
  view,
})
