import type { Insertable, Selectable, Updateable } from 'kysely'
import type { AccountQuery } from '../database/connection.ts'
import type { DocumentStatus } from './documents.ts'
import type { KnowledgeBaseTable } from './tables.ts'

type KnowledgeBaseRow = Selectable<KnowledgeBaseTable>
/** Knowledge base with the number of its documents by status, and the number of assistants that use it. */
export interface KnowledgeBaseWithCounts {
  readonly base: KnowledgeBaseRow
  readonly documents: Readonly<Partial<Record<DocumentStatus, number>>>
  readonly assistants: number
}

async function withCounts(query: AccountQuery, bases: KnowledgeBaseRow[]): Promise<KnowledgeBaseWithCounts[]> {
  if (bases.length === 0) return []
  const ids = bases.map((it) => it.id)
  const documents = await query
    .selectFrom('knowledge_document')
    .select(['knowledge_base_id as id', 'status', (it) => it.fn.countAll<number>().as('n')])
    .where('account_id', '=', query.account)
    .where('knowledge_base_id', 'in', ids)
    .groupBy(['knowledge_base_id', 'status'])
    .execute()
  const assistants = await query
    .selectFrom('assistant')
    .select(['knowledgebase_id as id', (it) => it.fn.countAll<number>().as('n')])
    .where('account_id', '=', query.account)
    .where('knowledgebase_id', 'in', ids)
    .groupBy('knowledgebase_id')
    .execute()
  return bases.map((base) => ({
    base,
    documents: Object.fromEntries(documents.filter((it) => it.id === base.id).map((it) => [it.status, Number(it.n)])),
    assistants: Number(assistants.find((it) => it.id === base.id)?.n ?? 0),
  }))
}

/** Returns the knowledge bases of an account with their counts. */
export const listKnowledgeBases = async (query: AccountQuery): Promise<KnowledgeBaseWithCounts[]> =>
  withCounts(
    query,
    await query
      .selectFrom('knowledge_base')
      .selectAll()
      .where('account_id', '=', query.account)
      .orderBy('id')
      .execute(),
  )

/** Returns a knowledge base of an account with its counts. */
export async function findKnowledgeBase(query: AccountQuery, id: number): Promise<KnowledgeBaseWithCounts | undefined> {
  const rows = await query
    .selectFrom('knowledge_base')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .execute()
  return (await withCounts(query, rows))[0]
}

/** Inserts a knowledge base. */
export const insertKnowledgeBase = (
  query: AccountQuery,
  base: Insertable<KnowledgeBaseTable>,
): Promise<KnowledgeBaseRow> => query.insertInto('knowledge_base').values(base).returningAll().executeTakeFirstOrThrow()

/** Updates a knowledge base. */
export async function updateKnowledgeBase(
  query: AccountQuery,
  id: number,
  change: Updateable<KnowledgeBaseTable>,
): Promise<void> {
  await query
    .updateTable('knowledge_base')
    .set(change)
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .execute()
}

/** Marks a base as changed, which locks it until the transaction ends. Returns false if it does not exist. */
export async function lockKnowledgeBase(query: AccountQuery, id: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('knowledge_base')
    .set({ updated_at: now })
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a base with its documents and removes it from every assistant. */
export async function deleteKnowledgeBase(query: AccountQuery, id: number): Promise<void> {
  await query
    .updateTable('assistant')
    .set({ knowledgebase_id: null })
    .where('account_id', '=', query.account)
    .where('knowledgebase_id', '=', id)
    .execute()
  await query
    .deleteFrom('knowledge_passage')
    .where('account_id', '=', query.account)
    .where('knowledge_base_id', '=', id)
    .execute()
  await query
    .deleteFrom('knowledge_document')
    .where('account_id', '=', query.account)
    .where('knowledge_base_id', '=', id)
    .execute()
  await query.deleteFrom('knowledge_base').where('account_id', '=', query.account).where('id', '=', id).execute()
}
