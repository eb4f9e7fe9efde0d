// What `parley doctor --conformance` knows of endpoints beyond the contract, from the resources or written here. Only the check reads
// it, nothing is stored: a wrong line hides a difference, or reports one that is none.

import type * as z from 'zod'
import { schemaDefinition, unwrap } from '../../../../contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../../contract/endpoint/endpoint.ts'
import { endpoints } from '../../../../contract/resources/index.ts'
import { resources } from '../../../program/resources/registry.ts'
import type { EndpointCheck } from '../../../program/resources/resource.ts'

/** Returns one property of the read checks of all resources, by endpoint. */
function column<Key extends keyof EndpointCheck>(key: Key): Record<string, NonNullable<EndpointCheck[Key]>> {
  const checks = Object.values(resources).flatMap((it) => Object.entries(it.endpointChecks))
  return Object.fromEntries(checks.flatMap(([name, check]) => (check[key] === undefined ? [] : [[name, check[key]]])))
}

/** Body fields that must reference a resource of the account, by endpoint. */
export const ownedReferences: Readonly<Record<string, string>> = column('ownedReference')

/** Lists that provide the parameters of a read, if not the list of the same resource. */
export const parameterSources: Readonly<Record<string, Readonly<Record<string, string>>>> = column('parameters')

/** Query values of reads that need more than an id, or return more with them. */
export const readQueries: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ...column('query'),
  // No resource registers the reads of the account.
  'user.references': { kind: 'tools', id: '1' },
}

/** Body fields whose values depend on other fields, so that not every documented one is accepted alone. */
export const dependentFields: Readonly<Record<string, readonly string[]>> = column('dependentFields')

const namesElsewhereByEndpoint = new Map<string, ReadonlySet<string>>()

/** Returns the fields that other responses and requests of a resource have, and the response of this endpoint has not. */
export function namesElsewhere(endpoint: Endpoint): ReadonlySet<string> {
  const known = namesElsewhereByEndpoint.get(endpoint.name)
  if (known) return known
  const resource = endpoint.name.split('.')[0]
  const own = fieldNames(endpoint.output)
  const all = endpoints
    .filter((it) => it.name.split('.')[0] === resource && it.auth !== 'control')
    .flatMap((it) => [...fieldNames(it.output), ...(it.body ? fieldNames(it.body) : [])])
  const found = new Set(all.filter((it) => !own.has(it)))
  namesElsewhereByEndpoint.set(endpoint.name, found)
  return found
}

/** Returns the names of the fields of a schema, also of nested ones. */
export function fieldNames(schema: z.ZodType, found = new Set<string>(), depth = 0): Set<string> {
  const def = schemaDefinition(unwrap(schema).base)
  for (const [name, schema] of Object.entries(def.shape ?? {})) {
    found.add(name)
    if (depth < 3) fieldNames(schema, found, depth + 1)
  }
  for (const schema of [def.element, ...(def.options ?? [])])
    if (schema && depth < 3) fieldNames(schema, found, depth + 1)
  return found
}

/** Ids that no resource has. The number still fits into 32 bits. */
export const unknownIds = { integer: 2_147_483_000, text: '00000000-0000-4000-8000-000000000000' }

/** Filter value that filters nothing. */
export const unfilteredValue = 'all'

/** Filters that reject unknown ids instead of returning no rows. */
export const filtersRefusingUnknown: ReadonlySet<string> = new Set(['assistant_id', 'campaign_id'])

/** Lists that have rows in every account, including a new one. */
export const sharedLists: ReadonlySet<string> = new Set(Object.keys(column('isShared')))

/** Fields that only some rows of a list have, by the value of a parameter. */
export const absentFields: Readonly<Record<string, NonNullable<EndpointCheck['absentField']>>> = column('absentField')

/** Order of lists on a Parley server. Other platforms are checked only where it is documented. */
export const listOrder: Readonly<Record<string, NonNullable<EndpointCheck['order']>>> = column('order')

/** Fields that may change between two reads without a write, so that the check ignores another value than the one that was sent. */
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
export const impliedFields: Readonly<Record<string, readonly string[]>> = {
  flow: ['definition', 'binding'],
  assistant_id: ['assistant_name'],
  ...Object.fromEntries(
    ['sip_username', 'sip_password', 'sip_address', 'phone_number', 'allowed_inbound_ips', 'outbound_proxy'].map(
      (name) => [name, ['inbound_trunk_id', 'outbound_trunk_id']],
    ),
  ),
  inbound_authorization_type: ['allowed_inbound_ips', 'inbound_trunk_id', 'outbound_trunk_id'],
}
