import { day, type Micros, minute } from '../../../contract/values/micros.ts'
import { stringifyJson } from '../../../node/json.ts'
import { splitDocument } from '../../services/knowledge/split-passages.ts'
import { insertGrouping } from '../../store/assistants/groupings.ts'
import type { Query } from '../../store/database/connection.ts'
import { insertDocument } from '../../store/knowledge/documents.ts'
import { insertKnowledgeBase } from '../../store/knowledge/knowledge-bases.ts'
import { insertPassages } from '../../store/knowledge/passages.ts'
import type { KnowledgeDocumentTable } from '../../store/knowledge/tables.ts'

const folders = [
  { name: 'Front desk', color: 'blue' },
  { name: 'Recall campaigns', color: 'amber' },
] as const

const labels = [
  { name: 'production', color: 'green' },
  { name: 'spanish', color: 'purple' },
  { name: 'trial', color: null },
] as const

const documents: readonly (Pick<KnowledgeDocumentTable, 'name' | 'description' | 'status'> & {
  readonly url: string
  readonly text?: string
  readonly failure?: string
})[] = [
  {
    name: 'Treatments and prices',
    description: 'What each treatment costs and how long it takes',
    status: 'active',
    url: 'https://northwind.example/treatments',
    text: 'A check-up takes 30 minutes and costs 60 USD.\nA cleaning takes 45 minutes and costs 90 USD.\nA filling takes 60 minutes and costs 150 USD.',
  },
  {
    name: 'Opening hours',
    description: null,
    status: 'active',
    url: 'https://northwind.example/hours',
    text: 'Monday to Friday from 8:00 to 17:00, Saturday from 9:00 to 12:00. Closed on Sunday and on public holidays.',
  },
  {
    name: 'Insurers',
    description: 'Plans the practice accepts',
    status: 'failed',
    url: 'https://unreadable.example/insurers',
    failure: 'The website could not be read.',
  },
]

/** Ids of the sample folders, labels and knowledge base, in order of creation. */
export interface SeededFolders {
  readonly folders: readonly number[]
  readonly labels: readonly number[]
  readonly knowledgeBase: number
}

/** Inserts two folders, three labels and a knowledge base with three documents, in the caller's transaction. */
export async function seedFoldersAndKnowledge(query: Query, account: number, now: Micros): Promise<SeededFolders> {
  const made: { folder: number[]; label: number[] } = { folder: [], label: [] }
  for (const [kind, all] of [
    ['folder', folders],
    ['label', labels],
  ] as const)
    for (const grouping of all)
      made[kind].push(
        (await insertGrouping(query, kind, { ...grouping, account_id: account, created_at: now - 40 * day })).id,
      )

  const at = now - 25 * day
  const { id } = await insertKnowledgeBase(query, {
    account_id: account,
    name: 'Practice handbook',
    description: 'What patients ask about: treatments, prices, hours',
    created_at: at,
    updated_at: at + 10 * minute,
  })
  for (const [n, { url, text, ...rest }] of documents.entries()) {
    const document = await insertDocument(query, {
      ...rest,
      account_id: account,
      knowledge_base_id: id,
      type: 'website',
      source: stringifyJson({ url, limit: 10 }),
      created_at: at + n * minute,
      updated_at: at + (n + 1) * minute,
    })
    if (text !== undefined)
      await insertPassages(query, splitDocument(document, [{ address: url, title: rest.name, text }]))
  }
  return { folders: made.folder, labels: made.label, knowledgeBase: id }
}
