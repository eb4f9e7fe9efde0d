import { type Tool, tools } from '../../../contract/resources/tools.ts'
import type { View } from '../../program/output/format.ts'
import type { Target } from '../../program/resources/resource.ts'

/** How tools are shown to people: titles and columns may change. Scripts read JSON, or what `id` returns with `-o id`. */
export const view: View<Tool> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'type', title: 'Type', priority: 3 },
    { key: 'method', title: 'Method', priority: 4 },
    { key: 'endpoint', title: 'Endpoint', priority: 2, flexible: true },
    { key: 'timeout', title: 'Timeout (s)', priority: 5, kind: 'number' },
    { key: 'updated_at', title: 'Updated', priority: 6, kind: 'time' },
  ],
  empty: 'No tools. Create one: parley tools create.',
}

/**
 * How commands find a tool by what a user passes: an id, else these fields in their order. Scripts pass such values, and
 * --confirm takes them: fields are added, not removed.
 */
export const target: Target = {
  singular: 'tool',
  list: tools.list,
  by: ['name'],
  label: (it) => `${it.name} (${it.id})`,
}
