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

/** Output schemas of the commands that copy all data. */
export const transferSchemas = {
  'server backup': BackupSchema,
  'server migrate': MigrationSchema,
  'server export': z.union([z.object({ file: text }), z.looseObject({ accounts: z.array(z.looseObject({})) })]),
}
