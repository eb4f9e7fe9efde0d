import type { Insertable, Selectable } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { ProvisionedTrunkTable } from './tables.ts'

export type ProvisionedTrunkRow = Selectable<ProvisionedTrunkTable>

/** Inserts a provisioned trunk. */
export const insertProvisionedTrunk = (
  query: Query,
  row: Insertable<ProvisionedTrunkTable>,
): Promise<ProvisionedTrunkRow> =>
  query.insertInto('provisioned_trunk').values(row).returningAll().executeTakeFirstOrThrow()

/** Returns a provisioned trunk by id. */
export const findProvisionedTrunk = (query: Query, id: number): Promise<ProvisionedTrunkRow | undefined> =>
  query.selectFrom('provisioned_trunk').selectAll().where('id', '=', id).executeTakeFirst()

/** Assigns a wanted trunk to a number as live. Returns false if it is not wanted anymore. */
export async function markTrunkLive(query: Query, id: number, number: number): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('provisioned_trunk')
    .set({ state: 'live', number_id: number })
    .where('id', '=', id)
    .where('state', '=', 'wanted')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Marks a wanted trunk as unwanted. Returns false if it is live or already unwanted. */
export async function abandonTrunk(query: Query, id: number): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('provisioned_trunk')
    .set({ state: 'unwanted' })
    .where('id', '=', id)
    .where('state', '=', 'wanted')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Marks the live trunks of a number in these directions as unwanted, and returns them. */
export const retireTrunks = (
  query: Query,
  number: number,
  directions: readonly ProvisionedTrunkRow['direction'][],
): Promise<ProvisionedTrunkRow[]> =>
  query
    .updateTable('provisioned_trunk')
    .set({ state: 'unwanted', number_id: null })
    .where('number_id', '=', number)
    .where('direction', 'in', directions)
    .where('state', '=', 'live')
    .returningAll()
    .execute()

/** Deletes the row of a provisioned trunk. */
export async function deleteProvisionedTrunk(query: Query, id: number): Promise<void> {
  await query.deleteFrom('provisioned_trunk').where('id', '=', id).execute()
}
