import * as z from '../../contract/schema/schema.ts'
import type { SyncStatus } from '../as-code/compare.ts'
import type { PushResult } from '../as-code/push-result.ts'
import type { FileStatus } from '../as-code/sync-view.ts'

const text = z.string()

const syncStatuses = [
  'same',
  'local_only',
  'changed_locally',
  'deleted_locally',
  'remote_only',
  'changed_remotely',
  'deleted_remotely',
  'conflict',
] as const satisfies readonly SyncStatus[]
const idOrNone = z.union([z.number(), text]).nullable()
/** Schema of a file and its sync status. */
export const FileStatusSchema = z.object({
  file: text,
  name: text,
  status: z.enum(syncStatuses),
  id: idOrNone,
  fields: z.array(text),
}) satisfies z.ZodType<FileStatus>
/** Schema of a file with the differing fields. */
export const FileDifferenceSchema = FileStatusSchema.extend({
  changes: z.array(z.object({ field: text, platform: z.unknown().optional(), file: z.unknown().optional() })),
})
/** Schema of the result of a push for one file. */
export const PushResultSchema = z.object({
  file: text,
  id: idOrNone,
  done: z.enum([
    'created',
    'updated',
    'deleted',
    'test_failed',
    'failed',
    'would_create',
    'would_update',
    'would_delete',
  ]),
  remark: text.nullable(),
}) satisfies z.ZodType<PushResult>
