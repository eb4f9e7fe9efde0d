import * as z from '../../../contract/schema/schema.ts'

const text = z.string()

const BackupSchema = z.object({
  file: text,
  bytes: z.int(),
  saved_at: text,
  tables: z.int(),
  rows: z.int(),
})

const MigrationSchema = z.object({
  source: text.describe('File, or host and name of the database'),
  target: text,
  copied: z.boolean().describe('False if a target with data was only compared'),
  rows: z.int(),
  tables: z.array(
    z.object({
      table: text,
      rows: z.int(),
      hash: text.describe('Hash of the rows in the source'),
      status: z.enum(['ok', 'differs']),
      target_rows: z.int(),
    }),
  ),
})

const NodeSchema = z.object({
  node: text.describe('Host and port'),
  role: z.enum(['coordinator', 'worker']),
  is_active: z.boolean(),
  has_shards: z.boolean().describe('Whether new shards are placed on it'),
})

const states = z.enum(['local', 'unfinished', 'distributed'])
const kinds = z.enum(['distributed', 'reference', 'local'])

const DatabaseStatusSchema = z.object({
  database: text.describe('Host, port and name'),
  state: states.describe('"unfinished" if a distribution was interrupted'),
  citus: text.nullable().describe('Version of the extension'),
  schema: z.int(),
  shards: z.int().nullable().describe('Shards of each distributed table'),
  steps_left: z.int().describe('Known steps of an unfinished distribution'),
  nodes: z.array(
    NodeSchema.extend({
      max_connections: z.int().nullable(),
      sessions: z.int().nullable().describe('Sessions that can run a statement over several shards at the same time'),
    }),
  ),
  connections_per_session: z.int().nullable().describe('Connections to one node for one statement, at most'),
  sessions: z.int().nullable().describe('Open sessions of Parley'),
  tables: z.array(
    z.object({
      table: text,
      kind: kinds,
      shards: z.int(),
      rows: z.int().nullable().describe('Null while a node does not answer'),
      bytes: z.int(),
    }),
  ),
})

const DistributionSchema = z.object({
  database: text.describe('Host, port and name'),
  state: states,
  citus: text,
  schema: z.int(),
  shards: z.int(),
  accounts: z.int(),
  nodes: z.array(NodeSchema),
  tables: z.array(
    z.object({
      table: text,
      place: kinds,
      rows: z.int(),
      bytes: z.int(),
      reason: text.nullable().describe('Why its rows belong to no account'),
    }),
  ),
  dropped: z.array(text).describe('Names of keys without the account'),
  estimated_seconds: z.int().describe('Time for which no server can use the database'),
  estimate: text.describe('Basis of the estimate'),
  users: z.array(text).describe('Servers and sessions that must stop first'),
  warnings: z.array(text),
  steps: z
    .array(z.object({ step: text, ms: z.int() }))
    .optional()
    .describe('What was done; absent with --dry-run'),
  seconds: z.number().optional().describe('Measured time for which no server could use the database'),
})

/**
 * Output schemas of the commands that copy all data, and of those about the database. Each must equal what its command prints, which
 * a test compares (every-form.ts). Scripts read these fields: they are added, not renamed.
 */
export const transferSchemas = {
  'server backup': BackupSchema,
  'server migrate': MigrationSchema,
  'server database distribute': DistributionSchema,
  'server database status': DatabaseStatusSchema,
  'server export': z.union([z.object({ file: text }), z.looseObject({ accounts: z.array(z.looseObject({})) })]),
}
