import type { Insertable, Selectable, Updateable } from 'kysely'
import { compiledQuery } from '../database/compiled-query.ts'
import type { Query } from '../database/connection.ts'
import { findVersion, type VersionRow } from './automation-versions.ts'
import { runJobKind } from './runs.ts'
import type { AutomationTable } from './tables.ts'

export type AutomationRow = Selectable<AutomationTable>
/** An automation and the version that is live; undefined while none was ever published. */
export interface AutomationWithVersion {
  readonly row: AutomationRow
  readonly live: VersionRow | undefined
}

export const insertAutomation = (query: Query, automation: Insertable<AutomationTable>): Promise<AutomationRow> =>
  query.insertInto('automation').values(automation).returningAll().executeTakeFirstOrThrow()

/** In the order they were made. */
export const listAutomations = (query: Query, account: number): Promise<AutomationRow[]> =>
  query
    .selectFrom('automation')
    .selectAll()
    .where('account_id', '=', account)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export async function countAutomations(query: Query, account: number): Promise<number> {
  const { n } = await query
    .selectFrom('automation')
    .select((it) => it.fn.countAll<number>().as('n'))
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow()
  return Number(n)
}

export const findAutomation = (query: Query, account: number, id: string): Promise<AutomationRow | undefined> =>
  query.selectFrom('automation').selectAll().where('account_id', '=', account).where('id', '=', id).executeTakeFirst()

/** Whosever it is: addresses and due work name an automation and nobody's account. */
export async function findAutomationById(query: Query, id: string): Promise<AutomationWithVersion | undefined> {
  const [row] = await automationByIdQuery(query, id)
  return row && { row, live: row.live_version === null ? undefined : await findVersion(query, row.live_version) }
}

/** The automation, whosever it is, with the hash of its live version only: definitions are large. */
export const findAutomationWithHash = async (
  query: Query,
  id: string,
): Promise<(AutomationRow & { live_hash: string | null }) | undefined> => (await automationWithHashQuery(query, id))[0]

const automationWithHashQuery = compiledQuery((query, id: string) =>
  query
    .selectFrom('automation')
    .leftJoin('automation_version', 'automation_version.id', 'automation.live_version')
    .selectAll('automation')
    .select('automation_version.hash as live_hash')
    .where('automation.id', '=', id),
)

const automationByIdQuery = compiledQuery((query, id: string) =>
  query.selectFrom('automation').selectAll().where('id', '=', id),
)

export async function updateAutomationRow(
  query: Query,
  id: string,
  change: Updateable<AutomationTable>,
): Promise<void> {
  await query.updateTable('automation').set(change).where('id', '=', id).execute()
}

/** Forgets an automation with everything of it. A run under way finds that it is gone and writes no more. */
export async function deleteAutomation(query: Query, id: string): Promise<void> {
  const runs = query.selectFrom('automation_run').select('number').where('automation_id', '=', id)
  const ids = query.selectFrom('automation_run').select('id').where('automation_id', '=', id)
  await query.deleteFrom('due').where('kind', '=', runJobKind).where('subject', 'in', ids).execute()
  await query.deleteFrom('automation_wait').where('run', 'in', runs).execute()
  await query.deleteFrom('automation_step').where('run', 'in', runs).execute()
  await query.deleteFrom('automation_run').where('automation_id', '=', id).execute()
  await query.deleteFrom('automation_value').where('owner', '=', `automation:${id}`).execute()
  await query.deleteFrom('automation_version').where('automation_id', '=', id).execute()
  await query.deleteFrom('automation').where('id', '=', id).execute()
}

/** Whether an automation, a version or a run has this id. */
export const isIdTaken = async (
  query: Query,
  table: 'automation' | 'automation_version' | 'automation_run',
  id: string,
): Promise<boolean> =>
  (await query.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst()) !== undefined
