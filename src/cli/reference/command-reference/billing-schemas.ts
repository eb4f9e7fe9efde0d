import { BillingSummary } from '../../../contract/resources/billing.ts'
import * as z from '../../../contract/schema/schema.ts'
import type { ShownSummary } from '../../nouns/billing/print-summary.ts'

/** Output schema of `billing summary`. */
const SummarySchema = BillingSummary.extend({
  journal: z
    .array(
      z.object({
        endpoint: z.string(),
        done: z.int(),
        unknown: z.int(),
        amount_usd: z.number().nullable().describe('Cost of those that were done; null if one of them is not known'),
      }),
    )
    .nullable()
    .describe('Operations of this month in the journal of this machine; null where the platform reports billing'),
}) satisfies z.ZodType<ShownSummary>

/** Output schemas of the billing commands. */
export const billingSchemas = { 'billing summary': SummarySchema }
