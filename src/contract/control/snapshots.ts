import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { isoMicros, maxItems } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

// The file of a snapshot, `snapshots/<name>.db` of the data folder, has this name, so that only what every file system accepts
// is allowed.
const name = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, {
  error:
    'The name field must be 1 to 64 lower-case letters, digits, dots, hyphens and underscores, the first a letter or digit.',
})

/** Copy of all data of a local platform, stored in its data folder. */
export const Snapshot = z.object({
  name: z.string(),
  status: z.enum(['ok', 'damaged', 'newer']).describe('newer: created by a newer version of Parley'),
  saved_at: z.string().describe('Real time'),
  time: isoMicros.nullable().describe('Time of the platform'),
  bytes: z.int(),
  seed: z.int().nullable(),
  accounts: z.int().nullable(),
  numbers: z.int().nullable(),
})
export type Snapshot = z.output<typeof Snapshot>

const FieldDifference = z.object({
  field: z.string().describe('Name, with a path inside settings'),
  before: z.string().nullable().describe('Value as text, shortened; secrets are masked'),
  after: z.string().nullable(),
})

const ResourceDifference = z.object({
  resource: z.string().describe('What is compared, such as assistants or ledger'),
  created: z.int().describe('Number of records that only the second has'),
  changed: z.int(),
  deleted: z.int().describe('Number of records that only the first has'),
  records: z
    .array(
      z.object({
        change: z.enum(['created', 'changed', 'deleted']),
        id: z.string(),
        name: z.string().nullable(),
        account: z.int().nullable().describe('Id of the account'),
        fields: z.array(FieldDifference).describe('Changed fields, at most 40'),
      }),
    )
    .describe('The first records of each kind of difference'),
})
export type ResourceDifference = z.output<typeof ResourceDifference>

const path = z.object({ name: name.describe('Name of the snapshot') })

export const snapshots = resource('snapshots', {
  list: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/snapshots',
    summary: 'List snapshots, newest first',
    status: 200,
    output: z.object({ data: z.array(Snapshot) }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  save: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/snapshots',
    summary: 'Save all data, time and key as a snapshot',
    body: z.object({
      name: name.optional().describe('Name of the snapshot (default: the current time)'),
      replace: z.boolean().default(false).describe('Replace a snapshot with the same name'),
    }),
    status: 201,
    output: z.object({ message: z.string(), data: Snapshot }),
    errors: ['snapshots.unsupported', 'snapshots.exists'],
    risk: 'write',
    record: 'data',
  },
  compare: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/snapshots/{name}/compare',
    summary: 'Compare a snapshot with another or the current data',
    params: path,
    query: z.object({
      to: name.optional().describe('Name of the other snapshot (default: the current data)'),
      limit: maxItems(20).describe('Maximum number of records of each kind of difference per resource'),
    }),
    status: 200,
    output: z.object({
      from: z.string(),
      to: z.string().nullable().describe('null: the current data'),
      data: z.array(ResourceDifference).describe('Only resources with differences'),
    }),
    errors: ['snapshots.unsupported', 'snapshots.not_found', 'snapshots.unreadable'],
    risk: 'read',
  },
  restore: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/snapshots/{name}/restore',
    summary: 'Restore a snapshot; later changes are lost',
    params: path,
    status: 200,
    output: z.object({
      message: z.string(),
      token: z.string().nullable().describe('New key of the data folder'),
    }),
    errors: [
      'snapshots.unsupported',
      'snapshots.not_found',
      'snapshots.unreadable',
      'snapshots.busy',
      'snapshots.in_use',
      'snapshots.seeded',
    ],
    risk: 'destructive',
  },
  delete: {
    ...controlEndpoint,
    method: 'DELETE',
    path: '/control/snapshots/{name}',
    summary: 'Delete a snapshot',
    params: path,
    status: 200,
    output: z.object({ message: z.string() }),
    errors: ['snapshots.not_found'],
    risk: 'destructive',
  },
})
