import type { Generated } from 'kysely'
import type { KnowledgeBaseTable, KnowledgeDocumentTable } from '../assistants/tables.ts'

/** Passage of a document, short enough to be quoted. `folded` is the normalized text for searches. */
export interface KnowledgePassageTable {
  id: Generated<number>
  account_id: number
  knowledge_base_id: number
  document_id: number
  /** From 0, over all pages of the document. */
  position: number
  address: string
  title: string | null
  text: string
  folded: string
}

export interface KnowledgeTables {
  knowledge_base: KnowledgeBaseTable
  knowledge_document: KnowledgeDocumentTable
  knowledge_passage: KnowledgePassageTable
}
