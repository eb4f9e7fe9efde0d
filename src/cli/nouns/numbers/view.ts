import { type AvailableNumber, numbers, type OwnedNumber } from '../../../contract/resources/numbers.ts'
import type { View } from '../../program/output/format.ts'
import type { Target } from '../../program/resources/resource.ts'

/** How numbers for sale are shown to people. Scripts read JSON, or the number with `-o id`, which `numbers buy` takes. */
export const availableNumberView: View<AvailableNumber> = {
  id: (it) => it.phone_number,
  columns: [
    { key: 'phone_number', title: 'Number', priority: 1 },
    { key: 'phone_number_formatted', title: 'Display', priority: 5 },
    { key: 'country_code', title: 'Country', priority: 4 },
    { key: 'price', title: 'Per month', priority: 2, kind: 'money' },
    { key: 'sms_capable', title: 'SMS', priority: 3, kind: 'bool' },
    { key: 'address_requirements', title: 'Address', priority: 3 },
  ],
  empty: 'No numbers found. Try fewer digits or another country.',
}

/**
 * How numbers of the account are shown to people: titles and columns may change. Scripts read JSON, or what `id` returns with
 * `-o id`.
 */
export const ownedNumberView: View<OwnedNumber> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'phone_number', title: 'Number', priority: 1 },
    { key: 'nickname', title: 'Nickname', priority: 2 },
    { key: 'country_code', title: 'Country', priority: 4 },
    { key: 'type', title: 'Type', priority: 3 },
    { key: 'sms_capable', title: 'SMS', priority: 5, kind: 'bool' },
    { key: 'price', title: 'Per month', priority: 2, kind: 'money' },
    { key: 'renews_at', title: 'Renews', priority: 3, kind: 'time' },
    { key: 'ends_at', title: 'Ends', priority: 3, kind: 'time' },
  ],
  empty: 'No numbers. Buy one: parley numbers buy.',
}

/**
 * Numbers of SIP trunks may be as short as an id. Scripts pass ids, numbers and nicknames, and --confirm takes them: fields
 * of `by` are added, not removed.
 */
export const target: Target = {
  singular: 'number',
  list: numbers.list,
  by: ['phone_number', 'nickname'],
  hasShortNumbers: true,
  label: (it) => `${it.phone_number}${it.nickname ? ` ${it.nickname}` : ''} (${it.id})`,
}

export const argument = { name: 'id', describe: 'Id, number or nickname' } as const

/** Help note about digits: numbers on SIP servers can be as short as an id. */
export const digitsNote =
  'Digits are read as an id, or as a number if no such id exists. If both exist, the command asks you to choose one and changes nothing.'

/** Help note about the addresses that the provider requires of a buyer. */
export const addressNote =
  'Address: where the provider requires an address of the owner of the number: none, local (in its country), foreign (in another country) or inventory (decided by the provider). A purchase can fail without it. The API has no request for addresses: they are registered with the operator of the platform.'
