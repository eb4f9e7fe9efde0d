import type { ApiKey } from '../../../contract/resources/keys.ts'
import { keys } from '../../../contract/resources/keys.ts'
import type { View } from '../../program/output/format.ts'
import type { Target } from '../../program/resources/resource.ts'

export const view: View<ApiKey> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'last_used_at', title: 'Last used', priority: 2, kind: 'time' },
    { key: 'created_at', title: 'Created', priority: 3, kind: 'time' },
  ],
  empty: 'No API keys. Create one: parley keys create --name <name>.',
}

export const target: Target = { singular: 'key', list: keys.list, by: ['name'], label: (it) => `${it.name} (${it.id})` }
