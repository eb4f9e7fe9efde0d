import type { Insertable, Selectable } from 'kysely'
import type { ProvisionedTrunkTable } from './assistant-tables.ts'
import type { Query } from './connection.ts'

export type ProvisionedRow = Selectable<ProvisionedTrunkTable>

export const insertProvisioned = (query: Query, row: Insertable<ProvisionedTrunkTable>): Promise<ProvisionedRow> =>
  query.insertInto('provisioned_trunk').values(row).returningAll().executeTakeFirstOrThrow()

export const findProvisioned = (query: Query, id: number): Promise<ProvisionedRow | undefined> =>
  query.selectFrom('provisioned_trunk').selectAll().where('id', '=', id).executeTakeFirst()

/** Makes a wanted trunk the number's; false when it is not wanted any more. */
export async function enliven(query: Query, id: number, number: number): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('provisioned_trunk')
    .set({ state: 'live', number_id: number })
    .where('id', '=', id)
    .where('state', '=', 'wanted')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Gives a wanted trunk up; false when it went live, or is given up already. */
export async function giveUp(query: Query, id: number): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('provisioned_trunk')
    .set({ state: 'unwanted' })
    .where('id', '=', id)
    .where('state', '=', 'wanted')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Gives up the live trunks of a number in these directions, and answers them. */
export const retire = (query: Query, number: number, directions: readonly ProvisionedRow['direction'][]): Promise<ProvisionedRow[]> =>
  query
    .updateTable('provisioned_trunk')
    .set({ state: 'unwanted', number_id: null })
    .where('number_id', '=', number)
    .where('direction', 'in', directions)
    .where('state', '=', 'live')
    .returningAll()
    .execute()

export async function deleteProvisioned(query: Query, id: number): Promise<void> {
  await query.deleteFrom('provisioned_trunk').where('id', '=', id).execute()
}
