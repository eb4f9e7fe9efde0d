import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { Query } from '../../store/database/connection.ts'
import { insertNumber } from '../../store/numbers/numbers.ts'
import { deleteTrunk, insertTrunk, type TrunkRow } from '../../store/numbers/sip-trunks.ts'
import type { Vault } from '../runtime/vault.ts'
import { bothDirections, type TrunkSettings } from './sip-trunk-settings.ts'
import { releaseTrunks, type TrunkIds } from './trunk-provisioning-service.ts'

/** The settings of a trunk without the password, which is never returned. */
export type ReadableTrunkSettings = Omit<TrunkSettings, 'sip_password'>

/** Returns the vault label of a trunk's password. */
export const passwordLabel = (account: number): string => `password of a SIP trunk of account ${account}`

/** Returns the settings of a stored trunk. */
export const settingsFromRow = (row: TrunkRow): ReadableTrunkSettings => ({
  phone_number: row.phone_number,
  nickname: row.nickname,
  sip_username: row.sip_username,
  sip_address: row.sip_address,
  sip_calling_format: row.calling_format,
  inbound_authorization_type: row.authorization_type,
  allowed_inbound_ips: row.allowed_ips === null ? null : parseJson(row.allowed_ips),
  outbound_proxy: row.outbound_proxy === 1,
  country_code: row.country_code,
})

/** Returns the columns of a trunk's settings. */
export const toColumns = (settings: ReadableTrunkSettings) => ({
  sip_username: settings.sip_username,
  sip_address: settings.sip_address,
  calling_format: settings.sip_calling_format,
  authorization_type: settings.inbound_authorization_type,
  allowed_ips: settings.allowed_inbound_ips && stringifyJson(settings.allowed_inbound_ips),
  outbound_proxy: settings.outbound_proxy ? 1 : 0,
  country_code: settings.country_code,
})

/** Returns the columns that the number copies from its trunk. The country has no subdivision. */
export const toNumberColumns = ({ phone_number, country_code }: ReadableTrunkSettings) => ({
  phone_number,
  country_code: country_code.slice(0, 2),
})

/**
 * Inserts a trunk: a number of type `sip` and the trunk's row. Returns the id of the number. The password is sealed.
 */
export async function insertTrunkNumber(
  query: Query,
  vault: Vault,
  {
    account,
    type,
    settings,
    ids,
    now,
  }: { account: number; type: string; settings: TrunkSettings; ids: Required<TrunkIds>; now: number },
): Promise<number> {
  const { id } = await insertNumber(query, {
    ...toNumberColumns(settings),
    account_id: account,
    nickname: settings.nickname,
    region: null,
    type: 'sip',
    sms_capable: 0,
    created_at: now,
  })
  await insertTrunk(query, {
    ...toColumns(settings),
    number_id: id,
    account_id: account,
    phone_number: settings.phone_number,
    version: 1,
    trunk_type: type,
    sip_password: vault.seal(settings.sip_password, passwordLabel(account)),
    inbound_trunk_id: ids.inbound,
    outbound_trunk_id: ids.outbound,
    created_at: now,
    updated_at: now,
  })
  return id
}

/** Deletes the trunk of a number, in the caller's transaction. Jobs delete its trunks at the voice infrastructure. */
export async function removeTrunk(query: Query, number: number, now: number): Promise<void> {
  await releaseTrunks(query, number, bothDirections, now)
  await deleteTrunk(query, number)
}
