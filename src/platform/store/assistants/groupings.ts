import type { Insertable, Selectable, Updateable } from 'kysely'
import type { AccountQuery } from '../database/connection.ts'
import type { FolderTable } from './tables.ts'

/** Kind of grouping. The tables of folders and labels have the same columns, so the type of one is used for both. */
export type GroupingKind = 'folder' | 'label'
type GroupingRow = Selectable<FolderTable>
/** Folder or label with the number of its assistants. */
export type GroupingWithCount = GroupingRow & { readonly assistants: number }

const groupingTable = (kind: GroupingKind): 'folder' => kind as 'folder'

async function withCounts(query: AccountQuery, kind: GroupingKind, rows: GroupingRow[]): Promise<GroupingWithCount[]> {
  if (rows.length === 0) return []
  const ids = rows.map((it) => it.id)
  const counts =
    kind === 'folder'
      ? await query
          .selectFrom('assistant')
          .select(['folder_id as id', (it) => it.fn.countAll<number>().as('n')])
          .where('account_id', '=', query.account)
          .where('folder_id', 'in', ids)
          .groupBy('folder_id')
          .execute()
      : await query
          .selectFrom('assistant_label')
          .select(['label_id as id', (it) => it.fn.countAll<number>().as('n')])
          .where('account_id', '=', query.account)
          .where('label_id', 'in', ids)
          .groupBy('label_id')
          .execute()
  const byId = new Map(counts.map((it) => [it.id, Number(it.n)]))
  return rows.map((row) => ({ ...row, assistants: byId.get(row.id) ?? 0 }))
}

/** Returns one page in the order of creation, and the total. */
export async function listGroupings(
  query: AccountQuery,
  kind: GroupingKind,
  page: { offset: number; limit: number },
): Promise<{ readonly rows: GroupingWithCount[]; readonly total: number }> {
  const own = query.selectFrom(groupingTable(kind)).where('account_id', '=', query.account)
  const rows = await own.selectAll().orderBy('id').offset(page.offset).limit(page.limit).execute()
  const { n } = await own.select((it) => it.fn.countAll<number>().as('n')).executeTakeFirstOrThrow()
  return { rows: await withCounts(query, kind, rows), total: Number(n) }
}

/** Returns a folder or label of an account with the number of its assistants. */
export async function findGrouping(
  query: AccountQuery,
  kind: GroupingKind,
  id: number,
): Promise<GroupingWithCount | undefined> {
  const rows = await query
    .selectFrom(groupingTable(kind))
    .selectAll()
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .execute()
  return (await withCounts(query, kind, rows))[0]
}

/** Inserts a folder or label. Fails with a unique violation if the account has one of this name. */
export async function insertGrouping(
  query: AccountQuery,
  kind: GroupingKind,
  row: Insertable<FolderTable>,
): Promise<GroupingWithCount> {
  return {
    ...(await query.insertInto(groupingTable(kind)).values(row).returningAll().executeTakeFirstOrThrow()),
    assistants: 0,
  }
}

/** Updates a folder or label. Fails with a unique violation if the account has another of this name. */
export async function updateGrouping(
  query: AccountQuery,
  kind: GroupingKind,
  id: number,
  change: Updateable<FolderTable>,
): Promise<void> {
  await query
    .updateTable(groupingTable(kind))
    .set(change)
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .execute()
}

/** Deletes a folder or label and removes it from all assistants. Returns false if it does not exist. */
export async function deleteGrouping(query: AccountQuery, kind: GroupingKind, id: number): Promise<boolean> {
  if (kind === 'folder')
    await query
      .updateTable('assistant')
      .set({ folder_id: null })
      .where('account_id', '=', query.account)
      .where('folder_id', '=', id)
      .execute()
  else
    await query
      .deleteFrom('assistant_label')
      .where('account_id', '=', query.account)
      .where('label_id', '=', id)
      .execute()
  const { numDeletedRows } = await query
    .deleteFrom(groupingTable(kind))
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
