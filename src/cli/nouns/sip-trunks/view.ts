import { type SipTrunk, sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import type { View } from '../../program/output/format.ts'
import type { Target } from '../../program/resources/resource.ts'

/**
 * Rows of the list and of `get`. The list does not have the ids of the trunks at the voice infrastructure. Titles and columns
 * may change: scripts read JSON, or `id` with `-o id`.
 */
export const view: View<Omit<SipTrunk, 'inbound_trunk_id' | 'outbound_trunk_id'>> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'phone_number', title: 'Number', priority: 1 },
    { key: 'nickname', title: 'Nickname', priority: 2 },
    { key: 'sip_username', title: 'User', priority: 4, flexible: true },
    { key: 'sip_address', title: 'Server', priority: 3, flexible: true },
    { key: 'inbound_authorization_type', title: 'Inbound', priority: 5 },
    { key: 'outbound_proxy', title: 'Proxy', priority: 7, kind: 'bool' },
    { key: 'country_code', title: 'Country', priority: 6 },
    { key: 'updated_at', title: 'Updated', priority: 8, kind: 'time' },
  ],
  empty: 'No SIP trunks. Create one: parley sip-trunks create.',
}

/**
 * A number of another provider may be as short as an id, and the list lacks fields, so a trunk is read before it is changed.
 * Scripts pass ids, numbers and nicknames: fields of `by` are added, not removed.
 */
export const target: Target = {
  singular: 'SIP trunk',
  list: sipTrunks.list,
  listCommand: 'sip-trunks list',
  by: ['phone_number', 'nickname'],
  hasShortNumbers: true,
  isListPartial: true,
  label: (it) => `${it.phone_number} at ${it.sip_address}${it.nickname ? `, ${it.nickname}` : ''} (${it.id})`,
}

export const argument = { name: 'id', describe: 'Id, number or nickname' } as const
