import { BillingSummary } from '../../contract/resources/billing.ts'
import * as z from '../../contract/schema/schema.ts'
import type { ShownSummary } from '../commands/billing/print-summary.ts'
import type { ShownEntry } from '../commands/ops/view.ts'

/** Output schema of `billing summary`. */
const SummarySchema = BillingSummary.extend({
  journal: z
    .array(z.object({ endpoint: z.string(), done: z.int(), unknown: z.int() }))
    .nullable()
    .describe('Operations of this month in the journal of this machine; null where the platform reports billing'),
}) satisfies z.ZodType<ShownSummary>

/** Schema of an entry of the operations journal. */
export const JournalEntrySchema = z.object({
  id: z.string(),
  at: z.string(),
  endpoint: z.string(),
  input: z.unknown(),
  profile: z.string(),
  base_url: z.string(),
  idempotency_key: z.string(),
  state: z.enum(['open', 'done', 'refused', 'cancelled', 'unknown']) as z.ZodType<ShownEntry['state']>,
  settled_at: z.string().nullable(),
  detail: z.unknown(),
  amount_usd: z.number().nullable().describe('Cost or known price; null if unknown'),
}) satisfies z.ZodType<ShownEntry>

/** Output schemas of the billing commands. */
export const billingSchemas = { 'billing summary': SummarySchema }
