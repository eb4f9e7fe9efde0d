import { type KnowledgeBase, knowledge } from '../../../contract/resources/knowledge.ts'
import type { View } from '../../program/output/format.ts'
import type { Target } from '../../program/resources/resource.ts'

/**
 * How knowledge bases are shown to people: titles and columns may change. Scripts read JSON, or what `id` returns with
 * `-o id`.
 */
export const view: View<KnowledgeBase> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'status', title: 'Status', priority: 2, kind: 'status' },
    { key: 'documents_count', title: 'Documents', priority: 2, kind: 'number' },
    { key: 'assistants_count', title: 'Assistants', priority: 3, kind: 'number' },
    { key: 'description', title: 'Description', priority: 5, flexible: true },
    { key: 'updated_at', title: 'Updated', priority: 4, kind: 'time' },
  ],
  empty: 'No knowledge bases. Create one: parley knowledge create --name <name>.',
}

/**
 * How commands find a knowledge base by what a user passes: an id, else these fields in their order. Scripts pass such
 * values, and --confirm takes them: fields are added, not removed.
 */
export const target: Target = {
  singular: 'knowledge base',
  list: knowledge.list,
  by: ['name'],
  label: (it) => `${it.name} (${it.id})`,
}
export const argument = { name: 'id', describe: 'Id or name of the knowledge base' } as const
