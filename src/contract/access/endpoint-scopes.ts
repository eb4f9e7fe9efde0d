import type { controlContract } from '../control/index.ts'
import type { Contract } from '../resources/index.ts'
import { type EndpointScope, scopeTable } from './scope-table.ts'

type NamesIn<Table> = {
  [Resource in keyof Table & string]: `${Resource}.${keyof Table[Resource] & string}`
}[keyof Table & string]

/** Name of an endpoint, also of the control API. */
export type EndpointName = NamesIn<Contract> | NamesIn<typeof controlContract>

/** The scope that each endpoint needs. An endpoint without an entry in the table does not compile. */
export const endpointScopes: Readonly<Record<EndpointName, EndpointScope>> = scopeTable

/**
 * Endpoints that need `spend` only for some requests, with the condition that a refusal (`requireSpendScope` of key-access.ts)
 * and `x-key-scope-spend-if` of the OpenAPI document state. The service of the resource has the rule of each.
 */
export const spendConditions = {
  'tools.update': 'the URL, headers or static fields of a tool receive data',
  'assistants.create': 'the URL of a webhook, a phone number and built-in tools can send data or cost money',
  'assistants.update': 'the URL of a webhook, a phone number and built-in tools can send data or cost money',
  'assistants.setStatus': 'an active assistant answers calls',
  'campaigns.updateStatus': 'a started campaign calls or sends messages',
  'leads.create': 'the campaign is running or scheduled',
  'leads.createBatch': 'the campaign is running or scheduled',
  'leads.update': 'the campaign is running or scheduled',
  'automate.get': 'the answer includes secrets',
  'automate.version': 'the answer includes secrets',
  'automate.create': 'steps have effects outside the platform',
  'automate.update': 'steps have effects outside the platform',
  'automate.restore': 'steps have effects outside the platform',
  'automate.restoreVersion': 'steps have effects outside the platform',
  'automate.apply': 'steps have effects outside the platform',
} as const satisfies Partial<Record<EndpointName, string>>

/** Name of an endpoint whose scope depends on the request. */
export type ConditionalEndpoint = keyof typeof spendConditions
