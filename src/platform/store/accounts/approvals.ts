import type { Insertable, Selectable, Updateable } from 'kysely'
import type { AccountQuery } from '../database/connection.ts'
import type { ApprovalTable } from './tables.ts'

export type ApprovalRow = Selectable<ApprovalTable>
/** An operation without its plan, which may be long. */
export type ListedApprovalRow = Omit<ApprovalRow, 'plan'>

const listed = [
  'id',
  'account_id',
  'uuid',
  'key_id',
  'asked_by',
  'heading',
  'hash',
  'state',
  'created_at',
  'expires_at',
  'decided_at',
  'decided_by',
  'reason',
  'runner',
  'outcomes',
] as const satisfies readonly (keyof ListedApprovalRow)[]

/** Inserts an operation. */
export const insertApproval = (query: AccountQuery, approval: Insertable<ApprovalTable>): Promise<ApprovalRow> =>
  query.insertInto('approval').values(approval).returningAll().executeTakeFirstOrThrow()

/** Returns the newest operations of an account, newest first. */
export const listApprovals = (query: AccountQuery, limit: number): Promise<ListedApprovalRow[]> =>
  query
    .selectFrom('approval')
    .select(listed)
    .where('account_id', '=', query.account)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Returns an operation of an account. */
export const findApproval = (query: AccountQuery, uuid: string): Promise<ApprovalRow | undefined> =>
  query
    .selectFrom('approval')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('uuid', '=', uuid)
    .executeTakeFirst()

/** Returns the operations of an account that wait for a decision or were approved, and have not expired. */
export const listCurrentApprovals = (query: AccountQuery, now: number): Promise<ListedApprovalRow[]> =>
  query
    .selectFrom('approval')
    .select(listed)
    .where('account_id', '=', query.account)
    .where('state', 'in', ['pending', 'approved'])
    .where('expires_at', '>', now)
    .execute()

/** Changes an operation. */
export const updateApproval = (
  query: AccountQuery,
  id: number,
  change: Updateable<ApprovalTable>,
): Promise<ApprovalRow> =>
  query.updateTable('approval').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** Deletes the operations of an account that were created before a time. */
export async function deleteApprovalsBefore(query: AccountQuery, time: number): Promise<void> {
  await query.deleteFrom('approval').where('account_id', '=', query.account).where('created_at', '<', time).execute()
}
