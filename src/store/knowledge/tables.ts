import type { Generated } from 'kysely'

/** A knowledge base of an account. */
export interface KnowledgeBaseTable {
  id: Generated<number>
  account_id: number
  name: string
  description: string | null
  created_at: number
  updated_at: number
}

/** A document of a knowledge base; `source` is what it is made from, as JSON. */
export interface KnowledgeDocumentTable {
  id: Generated<number>
  account_id: number
  knowledge_base_id: number
  name: string
  description: string | null
  type: 'website' | 'pdf' | 'txt' | 'docx'
  status: 'processing' | 'active' | 'failed'
  source: string
  /** Why it could not be read. */
  failure: Generated<string | null>
  created_at: number
  updated_at: number
}

/** A piece of what was read for a document, short enough to be quoted; `folded` is what a search compares with. */
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
