import * as z from '../../../contract/schema/schema.ts'
import type { SyncStatus } from '../../features/as-code/compare.ts'
import type { PromotionResult } from '../../features/as-code/promotion/promotion-view.ts'
import type { FileStatus, PushResult } from '../../features/as-code/sync-view.ts'

const text = z.string()

const syncStatuses = [
  'same',
  'local_only',
  'changed_locally',
  'deleted_locally',
  'remote_only',
  'changed_remotely',
  'deleted_remotely',
  'changed_both',
  'conflict',
] as const satisfies readonly SyncStatus[]
const idOrNone = z.union([z.number(), text]).nullable()
/** Schema of a file and its sync status. */
const FileStatusSchema = z.object({
  file: text,
  name: text,
  status: z.enum(syncStatuses),
  id: idOrNone,
  fields: z.array(text),
}) satisfies z.ZodType<FileStatus>
/** Schema of a file with the differing fields. */
const FileDifferenceSchema = FileStatusSchema.extend({
  changes: z.array(z.object({ field: text, platform: z.unknown().optional(), file: z.unknown().optional() })),
})
const pushOutcomes = [
  'created',
  'updated',
  'deleted',
  'test_failed',
  'failed',
  'conflict',
  'would_create',
  'would_update',
  'would_delete',
] as const
/** Schema of the result of a push for one file. */
const PushResultSchema = z.object({
  file: text,
  id: idOrNone,
  done: z.enum(pushOutcomes),
  remark: text.nullable(),
  undo: z.literal(false).optional().describe('The change cannot be undone'),
}) satisfies z.ZodType<PushResult>
/** Schema of the result of a promotion for one resource. */
const PromotionResultSchema = z.object({
  file: text,
  name: text,
  id: idOrNone,
  done: z.enum([...pushOutcomes, 'unchanged']),
  fields: z.array(text),
  live: z.boolean().describe('In use on the target'),
  remark: text.nullable(),
}) satisfies z.ZodType<PromotionResult>

/** Schemas of the output of commands that compare files and platforms, by command. `parley commands` and the reference print them. */
export const fileSchemas = {
  'automate pull': z.array(FileStatusSchema),
  'automate push': z.array(z.union([PushResultSchema, FileStatusSchema])),
  pull: z.array(FileStatusSchema),
  push: z.array(z.union([PushResultSchema, FileStatusSchema])),
  diff: z.array(FileDifferenceSchema),
  promote: z.array(PromotionResultSchema),
}
