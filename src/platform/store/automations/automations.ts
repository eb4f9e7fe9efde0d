import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { findNamed, releaseName, requireName } from '../database/account-names.ts'
import { compiledQuery } from '../database/compiled-query.ts'
import type { AccountQuery, Connection, PlatformQuery, Query } from '../database/connection.ts'
import { findVersion, type VersionRow } from './automation-versions.ts'
import { runJobKind } from './runs.ts'
import { deleteValuesOfRuns, valuesOwner } from './stored-values.ts'
import type { AutomationTable } from './tables.ts'

export type AutomationRow = Selectable<AutomationTable>
/** Automation and its live version, which is undefined if it was never published. */
interface AutomationWithVersion {
  readonly row: AutomationRow
  readonly live: VersionRow | undefined
}

/** Inserts an automation. */
export async function insertAutomation(
  query: AccountQuery,
  automation: Insertable<AutomationTable>,
): Promise<AutomationRow> {
  await requireName(query, 'automation', automation.id, automation.account_id)
  return query.insertInto('automation').values(automation).returningAll().executeTakeFirstOrThrow()
}

/** Returns the automations of an account in the order of creation. */
export const listAutomations = (query: AccountQuery): Promise<AutomationRow[]> =>
  query
    .selectFrom('automation')
    .selectAll()
    .where('account_id', '=', query.account)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

/** Place of an automation in the order of creation. */
export type AutomationPlace = Pick<AutomationRow, 'created_at' | 'id'>

const beforeAll: AutomationPlace = { created_at: 0, id: '' }

/**
 * Returns automations after a place in the order of creation, each with its stored definition: the live one, or the draft of
 * one that was never published.
 */
export const listAutomationsWithDefinitions = (
  query: AccountQuery,
  { created_at, id }: AutomationPlace = beforeAll,
  limit: number,
): Promise<(AutomationRow & Pick<VersionRow, 'definition'>)[]> =>
  query
    .selectFrom('automation')
    .innerJoin('automation_version', (join) =>
      join
        .onRef('automation_version.account_id', '=', 'automation.account_id')
        .on('automation_version.id', '=', sql<string>`coalesce(automation.live_version, automation.draft_version)`),
    )
    .selectAll('automation')
    .select('automation_version.definition')
    .where('automation.account_id', '=', query.account)
    // A range of the index. Those of the same time are excluded by their ids.
    .where('automation.created_at', '>=', created_at)
    .where((row) => row.or([row('automation.created_at', '>', created_at), row('automation.id', '>', id)]))
    .orderBy('automation.created_at')
    .orderBy('automation.id')
    .limit(limit)
    .execute()

/** Returns an automation of an account. */
export const findAutomation = (query: AccountQuery, id: string): Promise<AutomationRow | undefined> =>
  query
    .selectFrom('automation')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .executeTakeFirst()

/** Returns an automation of the account with its live version, for what starts its runs. */
export async function findAutomationById(query: AccountQuery, id: string): Promise<AutomationWithVersion | undefined> {
  const [row] = await automationByIdQuery(query, id)
  return row && { row, live: row.live_version === null ? undefined : await findVersion(query, row.live_version) }
}

/** Returns an automation of any account with only the hash of its live version, because definitions are large. */
export function findAutomationWithHash(
  connection: Pick<Connection, 'read' | 'write'>,
  id: string,
): Promise<(AutomationRow & { live_hash: string | null }) | undefined> {
  const find = async (query: Query) => (await automationWithHashQuery(query, id))[0]
  return findNamed(connection, 'automation', id, { own: find, any: find, accountOf: (it) => it.account_id })
}

const automationWithHashQuery = compiledQuery((query, id: string) =>
  query
    .selectFrom('automation')
    .leftJoin('automation_version', (join) =>
      join
        .onRef('automation_version.account_id', '=', 'automation.account_id')
        .onRef('automation_version.id', '=', 'automation.live_version'),
    )
    .selectAll('automation')
    .select('automation_version.hash as live_hash')
    .where('automation.id', '=', id),
)

const automationByIdQuery = compiledQuery((query, id: string) =>
  query.selectFrom('automation').selectAll().where('id', '=', id),
)

/** Updates an automation. */
export async function updateAutomationRow(
  query: AccountQuery,
  id: string,
  change: Updateable<AutomationTable>,
): Promise<void> {
  await query.updateTable('automation').set(change).where('id', '=', id).execute()
}

/** Deletes an automation with all its data. An active run detects the deletion and stops writing. */
export async function deleteAutomation(query: AccountQuery, id: string): Promise<void> {
  const runs = query.selectFrom('automation_run').select('number').where('automation_id', '=', id)
  const ids = query.selectFrom('automation_run').select('id').where('automation_id', '=', id)
  await query.deleteFrom('due').where('kind', '=', runJobKind).where('subject', 'in', ids).execute()
  await query.deleteFrom('automation_wait').where('run', 'in', runs).execute()
  await query.deleteFrom('automation_step').where('run', 'in', runs).execute()
  const deleted = await query.deleteFrom('automation_run').where('automation_id', '=', id).returning('id').execute()
  await deleteValuesOfRuns(query, deleted)
  await query.deleteFrom('automation_value').where('owner', '=', valuesOwner('automation', id)).execute()
  await query.deleteFrom('automation_version').where('automation_id', '=', id).execute()
  const row = await query.deleteFrom('automation').where('id', '=', id).returning('account_id').executeTakeFirst()
  if (row) await releaseName(query, 'automation', id, row.account_id)
}

/** Returns whether an automation, a version or a run has this id. */
export const isIdTaken = async (
  query: PlatformQuery,
  table: 'automation' | 'automation_version' | 'automation_run',
  id: string,
): Promise<boolean> =>
  (await query.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst()) !== undefined
