import { nodes as endpoints } from '../../../contract/control/nodes.ts'
import { listCommand } from '../../commandline/list-command.ts'
import { nodeView as view } from './node-view.ts'

export const nodes = listCommand({
  endpoint: endpoints.list,
  hasComputerTimes: true,
  examples: ['', '--json', '-o id'],
  notes:
    'Servers that share a PostgreSQL database see each other. A server without a heartbeat for 4 seconds is "silent", and other servers take over its jobs.',
  view,
})
