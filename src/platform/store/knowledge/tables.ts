// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { Generated } from 'kysely'

/** Knowledge base of an account. */
export interface KnowledgeBaseTable {
  id: Generated<number>
  account_id: number
  name: string
  description: string | null
  created_at: number
  updated_at: number
}

/** Document of a knowledge base: `processing` until its passages are stored, then `active`, or `failed` with a reason. `source` is its origin as JSON. */
export interface KnowledgeDocumentTable {
  id: Generated<number>
  account_id: number
  knowledge_base_id: number
  name: string
  description: string | null
  type: 'website' | 'pdf' | 'txt' | 'docx'
  status: 'processing' | 'active' | 'failed'
  source: string
  /** Reason why the document could not be processed. */
  failure: Generated<string | null>
  created_at: number
  updated_at: number
}

/**
 * Passage of a document, short enough to be quoted. `folded` is the text in the form of `normalizeText` (split-passages.ts), which
 * searches compare: another form needs the stored rows written again.
 */
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

/** The tables of this file by name, a part of the type of the database. */
export interface KnowledgeTables {
  knowledge_base: KnowledgeBaseTable
  knowledge_document: KnowledgeDocumentTable
  knowledge_passage: KnowledgePassageTable
}
