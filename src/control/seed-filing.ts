import { day, type Micros, minute } from '../events/clock.ts'
import type { KnowledgeDocumentTable } from '../store/assistant-tables.ts'
import type { Query } from '../store/connection.ts'
import { insertGrouping } from '../store/groupings.ts'
import { insertBase, insertDocument } from '../store/knowledge.ts'

const folders = [
  { name: 'Front desk', color: 'blue' },
  { name: 'Recall campaigns', color: 'amber' },
] as const

const labels = [
  { name: 'production', color: 'green' },
  { name: 'spanish', color: 'purple' },
  { name: 'trial', color: null },
] as const

const documents: readonly (Pick<KnowledgeDocumentTable, 'name' | 'description' | 'status'> & { readonly url: string })[] = [
  {
    name: 'Treatments and prices',
    description: 'What each treatment costs and how long it takes',
    status: 'active',
    url: 'https://northwind.example/treatments',
  },
  { name: 'Opening hours', description: null, status: 'active', url: 'https://northwind.example/hours' },
  { name: 'Insurers', description: 'Plans the practice accepts', status: 'failed', url: 'https://unreadable.example/insurers' },
]

/** Ids of what assistants are filed under and look things up in, in the order they were made. */
export interface SeededFiling {
  readonly folders: readonly number[]
  readonly labels: readonly number[]
  readonly knowledgeBase: number
}

/** Two folders, three labels and a knowledge base with three documents, in the caller's transaction. */
export async function seedFiling(query: Query, account: number, now: Micros): Promise<SeededFiling> {
  const made: { folder: number[]; label: number[] } = { folder: [], label: [] }
  for (const [kind, all] of [
    ['folder', folders],
    ['label', labels],
  ] as const)
    for (const it of all) made[kind].push((await insertGrouping(query, kind, { ...it, account_id: account, created_at: now - 40 * day })).id)

  const at = now - 25 * day
  const { id } = await insertBase(query, {
    account_id: account,
    name: 'Practice handbook',
    description: 'What patients ask about: treatments, prices, hours',
    created_at: at,
    updated_at: at + 10 * minute,
  })
  for (const [n, { url, ...it }] of documents.entries())
    await insertDocument(query, {
      ...it,
      account_id: account,
      knowledge_base_id: id,
      type: 'website',
      source: JSON.stringify({ url, limit: 10 }),
      created_at: at + n * minute,
      updated_at: at + (n + 1) * minute,
    })
  return { folders: made.folder, labels: made.label, knowledgeBase: id }
}
