// `AccountQuery` adds the condition on the account to every statement (account-query.ts). One that is written here, too,
// lets SQLite use an index.

import type { Insertable, Selectable, Updateable } from 'kysely'
import type { AccountQuery } from '../database/connection.ts'
import type { ProvisionedTrunkTable, SipTrunkTable } from './tables.ts'

/** Trunk with the nickname of its number. */
export type TrunkRow = Selectable<SipTrunkTable> & { readonly nickname: string | null }

const trunkRows = (query: AccountQuery) =>
  query
    .selectFrom('sip_trunk')
    .innerJoin('phone_number', 'phone_number.id', 'sip_trunk.number_id')
    .selectAll('sip_trunk')
    .select('phone_number.nickname')

/** Returns the SIP trunks of an account. */
export const listTrunks = (query: AccountQuery): Promise<TrunkRow[]> =>
  trunkRows(query).where('sip_trunk.account_id', '=', query.account).orderBy('sip_trunk.number_id').execute()

/** Returns the SIP trunk of a number. */
export const findTrunk = (query: AccountQuery, id: number): Promise<TrunkRow | undefined> =>
  trunkRows(query)
    .where('sip_trunk.account_id', '=', query.account)
    .where('sip_trunk.number_id', '=', id)
    .executeTakeFirst()

/** Returns whether the account has another trunk with this number, user and server, ignoring the case of the server. */
export async function hasDuplicateTrunk(
  query: AccountQuery,
  {
    account_id,
    phone_number,
    sip_username,
    sip_address,
  }: Pick<TrunkRow, 'account_id' | 'phone_number' | 'sip_username' | 'sip_address'>,
  except = 0,
): Promise<boolean> {
  const duplicate = await query
    .selectFrom('sip_trunk')
    .select('number_id')
    .where('account_id', '=', account_id)
    .where('phone_number', '=', phone_number)
    .where('sip_username', '=', sip_username)
    .where((it) => it(it.fn('lower', ['sip_address']), '=', it.fn('lower', [it.val(sip_address)])))
    .where('number_id', '!=', except)
    .executeTakeFirst()
  return duplicate !== undefined
}

/** Inserts a trunk. */
export async function insertTrunk(query: AccountQuery, trunk: Insertable<SipTrunkTable>): Promise<void> {
  await query.insertInto('sip_trunk').values(trunk).execute()
}

/** Updates a trunk of this version and its number. Returns false if the trunk was changed or released first. */
export async function updateTrunk(
  query: AccountQuery,
  { number_id, version }: Pick<TrunkRow, 'number_id' | 'version'>,
  change: Updateable<SipTrunkTable>,
  number: { readonly phone_number: string; readonly country_code: string; readonly nickname?: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('sip_trunk')
    .set({ ...change, phone_number: number.phone_number, version: version + 1 })
    .where('number_id', '=', number_id)
    .where('version', '=', version)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await query.updateTable('phone_number').set(number).where('id', '=', number_id).execute()
  return true
}

/** Deletes the trunk of a number. */
export async function deleteTrunk(query: AccountQuery, id: number): Promise<void> {
  await query.deleteFrom('sip_trunk').where('number_id', '=', id).execute()
}

export type ProvisionedTrunkRow = Selectable<ProvisionedTrunkTable>

/** Inserts a provisioned trunk. */
export const insertProvisionedTrunk = (
  query: AccountQuery,
  row: Insertable<ProvisionedTrunkTable>,
): Promise<ProvisionedTrunkRow> =>
  query.insertInto('provisioned_trunk').values(row).returningAll().executeTakeFirstOrThrow()

/** Returns a provisioned trunk by id. */
export const findProvisionedTrunk = (query: AccountQuery, id: number): Promise<ProvisionedTrunkRow | undefined> =>
  query.selectFrom('provisioned_trunk').selectAll().where('id', '=', id).executeTakeFirst()

/** Assigns a wanted trunk to a number as live. Returns false if it is not wanted anymore. */
export async function markTrunkLive(query: AccountQuery, id: number, number: number): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('provisioned_trunk')
    .set({ state: 'live', number_id: number })
    .where('id', '=', id)
    .where('state', '=', 'wanted')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Marks a wanted trunk as unwanted. Returns false if it is live or already unwanted. */
export async function abandonTrunk(query: AccountQuery, id: number): Promise<boolean> {
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
  query: AccountQuery,
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

/** Deletes the row of a provisioned trunk, after it was deleted at the voice infrastructure. */
export async function deleteProvisionedTrunk(query: AccountQuery, id: number): Promise<void> {
  await query.deleteFrom('provisioned_trunk').where('id', '=', id).execute()
}
