import { type Assistant, assistants } from '../../../contract/resources/assistants.ts'
import type { View } from '../../program/output/format.ts'
import type { Target } from '../../program/resources/resource.ts'

/** How assistants are shown to people: titles and columns may change. Scripts read JSON, or what `id` returns with `-o id`. */
export const view: View<Assistant> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'type', title: 'Type', priority: 2 },
    { key: 'mode', title: 'Mode', priority: 2 },
    { key: 'status', title: 'Status', priority: 3, kind: 'status' },
    { key: 'phone_number_id', title: 'Number', priority: 4, kind: 'number' },
    { key: 'language_id', title: 'Language', priority: 6, kind: 'number' },
    { key: 'updated_at', title: 'Updated', priority: 5, kind: 'time' },
  ],
  empty: 'No assistants. Create one: parley assistants create.',
}

/**
 * How commands find an assistant by what a user passes: an id, else these fields in their order. Scripts pass such values:
 * fields are added, not removed.
 */
export const target: Target = {
  singular: 'assistant',
  list: assistants.list,
  by: ['uuid', 'name'],
  label: (it) => `${it.name} (${it.id})`,
}

export const assistantFlag = {
  flags: '--assistant <id>',
  describe: 'Id, UUID or name of the assistant',
  field: 'assistant_id',
} as const

export const argument = { name: 'id', describe: 'Id, UUID or name of the assistant' } as const
