import type { Grouping } from '../../../contract/assistants/groupings.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { View } from '../../program/output/format.ts'
import type { Target } from '../../program/resources/resource.ts'

/** Returns the view of folders or labels. Titles and columns may change: scripts read JSON, or what `id` returns with `-o id`. */
export const groupingView = (noun: 'folders' | 'labels'): View<Grouping> => ({
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'color', title: 'Color', priority: 3 },
    { key: 'assistants_count', title: 'Assistants', priority: 2, kind: 'number' },
  ],
  empty: `No ${noun}. Create one: parley ${noun} create --name <name>.`,
})

/**
 * Returns the target of folders or labels. Scripts pass ids and names, and --confirm takes them, so fields are added, not
 * removed.
 */
export const groupingTarget = (singular: string, list: Endpoint): Target => ({
  singular,
  list,
  by: ['name'],
  label: (it) => `${it.name} (${it.id})`,
})
