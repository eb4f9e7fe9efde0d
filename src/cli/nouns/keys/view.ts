import type { ApiKey, KeyRestrictions } from '../../../contract/resources/keys.ts'
import { keys } from '../../../contract/resources/keys.ts'
import type { View } from '../../program/output/format.ts'
import type { Target } from '../../program/resources/resource.ts'

/** How API keys are shown to people: titles and columns may change. Scripts read JSON, or what `id` returns with `-o id`. */
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

type ListedKey = ApiKey & Partial<Omit<KeyRestrictions, 'id'>>

const budgetText = ({ budget }: ListedKey): string | null =>
  budget ? `${budget.left} of ${budget.amount} USD/${budget.period}` : null

/** The keys with their restrictions. commands.ts joins them: scripts read the fields of both under the names of the contract. */
export const restrictedView: View<ListedKey> = {
  ...view,
  columns: [
    ...view.columns,
    { key: (it) => it.scope ?? null, field: 'scope', title: 'Scope', priority: 1 },
    { key: (it) => it.nouns?.join(', ') ?? null, field: 'nouns', title: 'Nouns', priority: 2 },
    { key: budgetText, field: 'budget', title: 'Budget left', priority: 2 },
    { key: (it) => it.expires_at ?? null, field: 'expires_at', title: 'Expires', priority: 2, kind: 'time' },
  ],
}

/**
 * How commands find a key by what a user passes: an id, else these fields in their order. Scripts pass such values, and
 * --confirm takes them: fields are added, not removed.
 */
export const target: Target = { singular: 'key', list: keys.list, by: ['name'], label: (it) => `${it.name} (${it.id})` }
