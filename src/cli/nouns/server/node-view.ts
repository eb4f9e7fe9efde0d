import { nodes, type ServerNode } from '../../../contract/control/nodes.ts'
import type { View } from '../../program/output/form.ts'
import type { Target } from '../../program/resources/resource-descriptor.ts'

export const nodeView: View<ServerNode> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'url', title: 'URL', priority: 2 },
    { key: 'version', title: 'Version', priority: 2 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'leases', title: 'Leases', priority: 2, kind: 'number' },
    { key: 'heartbeat_age', title: 'Heartbeat (s)', priority: 2, kind: 'number' },
    { key: 'started_at', title: 'Since', priority: 4, kind: 'time' },
  ],
  empty: 'No servers are running. Start one: parley server start.',
}

export const nodeTarget: Target = {
  singular: 'server',
  list: nodes.list,
  listCommand: 'server nodes',
  hasTextIds: true,
  by: ['id', 'url', 'host', 'pid'],
  label: (it) => `${it.url ?? it.host}, ${it.status} (${it.id})`,
}
