import { type Insertable, type Selectable, sql } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { KnowledgePassageTable } from './tables.ts'

export type PassageRow = Selectable<KnowledgePassageTable>

/** Rows of one statement: no database takes any number of values at once. */
const rowsPerInsert = 50

export async function insertPassages(
  query: Query,
  passages: readonly Insertable<KnowledgePassageTable>[],
): Promise<void> {
  for (let at = 0; at < passages.length; at += rowsPerInsert)
    await query
      .insertInto('knowledge_passage')
      .values(passages.slice(at, at + rowsPerInsert))
      .execute()
}

/** The beginnings of all documents of a base: at most `each` passages of one, in order. */
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

/** Passages of a base with any of the terms, those with most of them first. Terms are letters and digits, folded as passages are. */
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
