import { type Campaign, campaigns } from '../../../contract/resources/campaigns.ts'
import { stateText } from '../../../contract/values/states.ts'
import type { View } from '../../program/output/format.ts'
import type { Target } from '../../program/resources/resource.ts'

/** How campaigns are shown to people: titles and columns may change. Scripts read JSON, or what `id` returns with `-o id`. */
export const view: View<Campaign> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'channel', title: 'Channel', priority: 2, kind: 'choice' },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'assistant_id', title: 'Assistant', priority: 4, kind: 'number' },
    { key: 'timezone', title: 'Time zone', priority: 6 },
    { key: 'scheduled_start_at', title: 'Starts', priority: 5, flexible: true },
    { key: 'updated_at', title: 'Updated', priority: 3, kind: 'time' },
  ],
  empty: 'No campaigns. Create one: parley campaigns create.',
}

/** Returns the view with assistant names in place of ids where they are known. */
export const viewWith = (names: ReadonlyMap<unknown, string>): View<Campaign> => ({
  ...view,
  columns: view.columns.map((column) =>
    column.key === 'assistant_id'
      ? {
          key: ({ assistant_id: id }) => names.get(id) ?? id,
          field: 'assistant_id',
          title: column.title,
          priority: column.priority,
          flexible: true,
        }
      : column,
  ),
})

/**
 * How commands find a campaign by what a user passes: an id, else these fields in their order. Scripts pass such values, and
 * --confirm takes them: fields are added, not removed.
 */
export const target: Target = {
  singular: 'campaign',
  list: campaigns.list,
  by: ['name'],
  label: (it) => `${it.name}, ${it.channel}, ${stateText(String(it.status))} (${it.id})`,
}

export const argument = { name: 'id', describe: 'Id or name of the campaign' } as const

export const campaignFlag = {
  flags: '--campaign <id>',
  describe: 'Id or name of the campaign',
  field: 'campaign_id',
} as const
