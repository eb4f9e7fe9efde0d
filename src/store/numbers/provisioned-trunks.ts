import type { Insertable, Selectable } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { ProvisionedTrunkTable } from './tables.ts'

export type ProvisionedTrunkRow = Selectable<ProvisionedTrunkTable>

export const insertProvisionedTrunk = (
  query: Query,
  row: Insertable<ProvisionedTrunkTable>,
): Promise<ProvisionedTrunkRow> =>
  query.insertInto('provisioned_trunk').values(row).returningAll().executeTakeFirstOrThrow()

export const findProvisionedTrunk = (query: Query, id: number): Promise<ProvisionedTrunkRow | undefined> =>
  query.selectFrom('provisioned_trunk').selectAll().where('id', '=', id).executeTakeFirst()

/** Makes a wanted trunk the number's; false when it is not wanted any more. */
export async function markTrunkLive(query: Query, id: number, number: number): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('provisioned_trunk')
    .set({ state: 'live', number_id: number })
    .where('id', '=', id)
    .where('state', '=', 'wanted')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Gives a wanted trunk up; false when it went live, or is given up already. */
export async function abandonTrunk(query: Query, id: number): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('provisioned_trunk')
    .set({ state: 'unwanted' })
    .where('id', '=', id)
    .where('state', '=', 'wanted')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Gives up the live trunks of a number in these directions, and answers them. */
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

export async function deleteProvisionedTrunk(query: Query, id: number): Promise<void> {
  await query.deleteFrom('provisioned_trunk').where('id', '=', id).execute()
}
