import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { AccountQuery } from '../database/connection.ts'
import type { KnowledgeDocumentTable, KnowledgePassageTable } from './tables.ts'

export type KnowledgeDocumentRow = Selectable<KnowledgeDocumentTable>

export type DocumentStatus = KnowledgeDocumentRow['status']

const documentsOf = (query: AccountQuery, base: number) =>
  query
    .selectFrom('knowledge_document')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('knowledge_base_id', '=', base)

/** Returns the documents of a knowledge base. */
export const listDocuments = (query: AccountQuery, base: number): Promise<KnowledgeDocumentRow[]> =>
  documentsOf(query, base).orderBy('id').execute()

/** Returns a document of a knowledge base. */
export const findDocument = (
  query: AccountQuery,
  base: number,
  id: number,
): Promise<KnowledgeDocumentRow | undefined> => documentsOf(query, base).where('id', '=', id).executeTakeFirst()

/** Returns a document of any knowledge base of the account, for scheduled jobs. */
export const findDocumentById = (query: AccountQuery, id: number): Promise<KnowledgeDocumentRow | undefined> =>
  query.selectFrom('knowledge_document').selectAll().where('id', '=', id).executeTakeFirst()

/** Inserts a document. */
export const insertDocument = (
  query: AccountQuery,
  document: Insertable<KnowledgeDocumentTable>,
): Promise<KnowledgeDocumentRow> =>
  query.insertInto('knowledge_document').values(document).returningAll().executeTakeFirstOrThrow()

/** Updates a document. */
export const updateDocumentRow = (
  query: AccountQuery,
  id: number,
  change: Updateable<KnowledgeDocumentTable>,
): Promise<KnowledgeDocumentRow> =>
  query
    .updateTable('knowledge_document')
    .set(change)
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Ends the processing of a document. Returns false if it has already ended or the document was deleted. */
export async function completeDocument(
  query: AccountQuery,
  id: number,
  change: { status: 'active' | 'failed'; failure: string | null; updated_at: number; source?: string },
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('knowledge_document')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a document with its passages. */
export async function deleteDocument(query: AccountQuery, id: number): Promise<void> {
  await query
    .deleteFrom('knowledge_passage')
    .where('account_id', '=', query.account)
    .where('document_id', '=', id)
    .execute()
  await query.deleteFrom('knowledge_document').where('account_id', '=', query.account).where('id', '=', id).execute()
}

export type PassageRow = Selectable<KnowledgePassageTable>

/** Inserts passages of a document. */
export async function insertPassages(
  query: AccountQuery,
  passages: readonly Insertable<KnowledgePassageTable>[],
): Promise<void> {
  if (passages.length > 0) await query.insertInto('knowledge_passage').values(passages).execute()
}

/** Returns the beginnings of all documents of a base: at most `perDocument` passages of each, in order. */
export const listLeadingPassages = (query: AccountQuery, base: number, perDocument: number): Promise<PassageRow[]> =>
  query
    .selectFrom('knowledge_passage')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('knowledge_base_id', '=', base)
    .where('position', '<', perDocument)
    .orderBy('document_id')
    .orderBy('position')
    .execute()

/** Returns passages with any of the terms, those with most terms first. Terms are normalized letters and digits. */
export async function searchPassages(
  query: AccountQuery,
  base: number,
  terms: readonly string[],
  limit: number,
): Promise<PassageRow[]> {
  if (terms.length === 0) return []
  const hits = sql<number>`${sql.join(
    terms.map((it) => sql`case when folded like ${`%${it}%`} then 1 else 0 end`),
    sql` + `,
  )}`
  return query
    .selectFrom('knowledge_passage')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('knowledge_base_id', '=', base)
    .where((it) => it.or(terms.map((term) => it('folded', 'like', `%${term}%`))))
    .orderBy(hits, 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}
