import { type Insertable, type Selectable, sql } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { KnowledgePassageTable } from './tables.ts'

export type PassageRow = Selectable<KnowledgePassageTable>

/** Inserts passages of a document. */
export async function insertPassages(
  query: Query,
  passages: readonly Insertable<KnowledgePassageTable>[],
): Promise<void> {
  if (passages.length > 0) await query.insertInto('knowledge_passage').values(passages).execute()
}

/** Returns the beginnings of all documents of a base: at most `perDocument` passages of each, in order. */
export const listLeadingPassages = (
  query: Query,
  account: number,
  base: number,
  perDocument: number,
): Promise<PassageRow[]> =>
  query
    .selectFrom('knowledge_passage')
    .selectAll()
    .where('account_id', '=', account)
    .where('knowledge_base_id', '=', base)
    .where('position', '<', perDocument)
    .orderBy('document_id')
    .orderBy('position')
    .execute()

/** Returns passages with any of the terms, those with most terms first. Terms are normalized letters and digits. */
export async function searchPassages(
  query: Query,
  account: number,
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
    .where('account_id', '=', account)
    .where('knowledge_base_id', '=', base)
    .where((it) => it.or(terms.map((term) => it('folded', 'like', `%${term}%`))))
    .orderBy(hits, 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}
