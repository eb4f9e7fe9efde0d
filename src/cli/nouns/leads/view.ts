import type { Output } from '../../../contract/endpoint/endpoint.ts'
import { leads } from '../../../contract/resources/leads.ts'
import { maxPerPage } from '../../../contract/values/page-size.ts'
import { stateText } from '../../../contract/values/states.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { View } from '../../program/output/format.ts'
import type { Target } from '../../program/resources/resource.ts'

type Listed = Output<typeof leads.list>['data'][number]

const formatVariables = (variables: Readonly<Record<string, unknown>> | null | undefined): string | null =>
  Object.entries(variables ?? {})
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : stringifyJson(value)}`)
    .join(', ') || null

/** How leads are shown to people: titles and columns may change. Scripts read JSON, or what `id` returns with `-o id`. */
export const view: View<Listed> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'phone_number', title: 'Number', priority: 1 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'campaign.name', title: 'Campaign', priority: 2, flexible: true },
    { key: (it) => formatVariables(it.variables), field: 'variables', title: 'Variables', priority: 4, flexible: true },
    {
      key: (it) => it.secondary_contacts?.length ?? 0,
      field: 'secondary_contacts',
      title: 'Contacts',
      priority: 6,
      kind: 'number',
    },
    { key: 'created_at', title: 'Created', priority: 3, kind: 'time' },
    { key: 'updated_at', title: 'Updated', priority: 5, kind: 'time' },
  ],
  empty: 'No leads. Create one: parley leads create.',
}

/**
 * Returns a target that finds a lead by phone number, filtered by the platform; without one, the newest hundred leads. Up to
 * 9 digits are an id.
 */
export const leadTarget = (given: string | undefined): Target => ({
  singular: 'lead',
  list: leads.list,
  ...(given !== undefined && !/^\d{1,9}$/.test(given) && { within: { phone_number: given } }),
  limit: maxPerPage,
  by: ['phone_number'],
  label: (it) => `${it.phone_number}, ${stateText(String(it.status))} (${it.id})`,
})

export const argument = { name: 'id', describe: 'Id or phone number of the lead' } as const

export const varFlag = {
  flags: '--var <name=value>',
  describe: 'Variable as name=value; repeatable',
  repeatable: true,
  field: 'variables',
} as const
