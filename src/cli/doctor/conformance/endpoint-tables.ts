import { resources } from '../../resources/descriptors.ts'
import type { EndpointCheck } from '../../resources/resource-descriptor.ts'

/** Returns one property of the read checks of all resources, by endpoint. */
function column<Key extends keyof EndpointCheck>(key: Key): Record<string, NonNullable<EndpointCheck[Key]>> {
  const checks = Object.values(resources).flatMap((it) => Object.entries(it.endpointChecks))
  return Object.fromEntries(checks.flatMap(([name, it]) => (it[key] === undefined ? [] : [[name, it[key]]])))
}

/** Body fields that must reference a resource of the account, by endpoint. */
export const ownedReferences: Readonly<Record<string, string>> = column('ownedReference')

/** Lists that provide the parameters of a read, if not the list of the same resource. */
export const parameterSources: Readonly<Record<string, Readonly<Record<string, string>>>> = column('parameters')

/** Query values of reads that need more than an id, or return more with them. */
export const readQueries: Readonly<Record<string, Readonly<Record<string, unknown>>>> = column('query')

/** Ids that no resource has. */
export const unknownIds = { integer: 2_147_483_000, text: '00000000-0000-4000-8000-000000000000' }

/** Filter value that filters nothing. */
export const unfilteredValue = 'all'

/** Filters that reject unknown ids instead of returning no rows. */
export const filtersRefusingUnknown: ReadonlySet<string> = new Set(['assistant_id', 'campaign_id'])

/** Lists that have rows in every account, including a new one. */
export const sharedLists: ReadonlySet<string> = new Set(Object.keys(column('isShared')))

/** Order of lists on a Parley server. The specification defines none, so other platforms are not checked. */
export const listOrder: Readonly<Record<string, NonNullable<EndpointCheck['order']>>> = column('order')

/** Fields that may change between two reads without a write. */
export const volatileFields: ReadonlySet<string> = new Set([
  'updated_at',
  'last_used_at',
  'status',
  'status_label',
  'documents_count',
  'message_count',
  'total_cost',
  'assistants_count',
])

/** Fields that change when another field is written. */
export const impliedFields: Readonly<Record<string, readonly string[]>> = { flow: ['definition', 'binding'] }
