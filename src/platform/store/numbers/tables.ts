// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { Generated } from 'kysely'

/** Phone number that an account owns. */
export interface NumberTable {
  id: Generated<number>
  account_id: number
  phone_number: string
  country_code: string
  region: string | null
  type: 'normal' | 'sip' | 'caller_id'
  sms_capable: number
  nickname: string | null
  created_at: number
}

/**
 * SIP trunk of a number of type `sip` (section 2.12). The password is encrypted. `version` increases with every change.
 * `phone_number` repeats that of the number, so that a unique index prevents a second trunk with the same number, user
 * and server.
 */
export interface SipTrunkTable {
  number_id: number
  account_id: number
  phone_number: string
  version: number
  trunk_type: string
  sip_username: string
  sip_password: string
  sip_address: string
  calling_format: string
  authorization_type: string
  allowed_ips: string | null
  outbound_proxy: number
  country_code: string
  inbound_trunk_id: string
  outbound_trunk_id: string
  created_at: number
  updated_at: number
}

/**
 * Trunk at the voice infrastructure, from before it is requested (`wanted`) until it is deleted there.
 * Every trunk that is not `live` has a scheduled job that deletes it. `number_id` is set while it is live.
 */
export interface ProvisionedTrunkTable {
  id: Generated<number>
  account_id: number
  number_id: number | null
  direction: 'inbound' | 'outbound'
  state: 'wanted' | 'live' | 'unwanted'
  created_at: number
}

/** The tables of this file by name, a part of the type of the database. */
export interface NumberTables {
  phone_number: NumberTable
  sip_trunk: SipTrunkTable
  provisioned_trunk: ProvisionedTrunkTable
}
