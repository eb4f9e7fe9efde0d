import type { Generated } from 'kysely'

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
 * What makes a number of type `sip` a trunk (section 2.12). The password is encrypted. `phone_number` repeats the number's own, so that the
 * database itself refuses a second trunk of the same number, user and server. `version` grows with every change.
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
 * A trunk at the voice infrastructure, from before it is asked for (`wanted`) until it is gone there too. Every one that is not `live` has due
 * work that takes it away; `number_id` is known while it is live.
 */
export interface ProvisionedTrunkTable {
  id: Generated<number>
  account_id: number
  number_id: number | null
  direction: 'inbound' | 'outbound'
  state: 'wanted' | 'live' | 'unwanted'
  created_at: number
}

export interface NumberTables {
  phone_number: NumberTable
  sip_trunk: SipTrunkTable
  provisioned_trunk: ProvisionedTrunkTable
}
