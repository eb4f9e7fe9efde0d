import { isoMillis } from '../../../contract/endpoint/field-schemas.ts'
import { approvalStates } from '../../../contract/resources/approvals.ts'
import * as z from '../../../contract/schema/schema.ts'
import type { ShownPending } from '../../features/history-and-operations/pending-view.ts'
import type { ListedEntry } from '../../features/history-and-operations/view.ts'
import { actions, groupNoun, promotionNoun } from '../../program/history/entries.ts'
import type { WriteLogEntry } from '../../program/history/write-log.ts'
import type { ShownEntry } from '../../program/operations/operation-view.ts'
import { recordedNouns } from '../../program/resources/registry.ts'

const text = z.string()
const optionalText = text.nullable()

/** Entry of the operations journal. */
export const JournalEntrySchema = z.object({
  id: text,
  at: isoMillis,
  endpoint: text,
  target: text.describe('The number, campaign, conversation or resource of the operation; empty if it has none'),
  input: z.unknown(),
  profile: text,
  base_url: text,
  idempotency_key: text,
  state: z.enum(['open', 'done', 'replayed', 'waiting', 'refused', 'cancelled', 'unknown']) as z.ZodType<
    ShownEntry['state']
  >,
  settled_at: isoMillis.nullable(),
  detail: z.unknown(),
  amount_usd: z.number().nullable().describe('Cost or known price; null if unknown, and for updates of automations'),
  minute_price_usd: z.number().nullable().describe('Price of a started minute of a call, if it is known'),
}) satisfies z.ZodType<ShownEntry>

/** Operation that waits for the approval of a person. */
export const PendingSchema = z.object({
  id: text,
  at: isoMillis,
  state: z.enum([...approvalStates, 'damaged']),
  summary: text,
  maximum_usd: z.number().nullable().describe('The most that it costs; null if unknown'),
  command: text,
  profile: text,
  platform: text,
  asked_by: optionalText.describe('The coding agent that asked'),
  expires_at: isoMillis,
  decided_at: isoMillis.nullable(),
  reason: optionalText,
  requests: z
    .array(z.object({ endpoint: text, method: text, path: text, body: optionalText }))
    .describe('What is sent, byte for byte'),
  steps: z
    .object({ content: z.unknown(), allows: z.record(text, z.int()) })
    .nullable()
    .describe('What several requests do that depend on each other'),
}) satisfies z.ZodType<ShownPending>
/** The same in a list, without its plan. */
export const ListedPendingSchema = PendingSchema.omit({ requests: true, steps: true })

/** Returns the schema of an entry of the history. */
export const historyEntrySchema = () =>
  z.looseObject({
    entry: z.int(),
    at: isoMillis,
    profile: text,
    base_url: text,
    noun: z.enum([...recordedNouns(), promotionNoun, groupNoun]),
    id: text,
    name: optionalText,
    action: z.enum([...actions, 'promote', 'group']),
    command: text,
    state: z.enum(['open', 'done', 'unknown']),
    request_id: optionalText,
    fields: z.array(text),
    pointers: z.array(z.object({ noun: text, id: z.union([z.number(), text]), name: optionalText, field: text })),
  }) satisfies z.ZodType<ListedEntry>

/** Entry of the log of writes. */
export const WriteLogSchema = z.object({
  at: isoMillis,
  profile: text,
  host: text,
  command: text,
  endpoint: text,
  id: optionalText,
  fields: z.array(text),
  status: z.int().nullable(),
  outcome: z.enum(['done', 'refused', 'unknown']),
  request_id: optionalText,
  entry: z.int().nullable(),
}) satisfies z.ZodType<WriteLogEntry>
