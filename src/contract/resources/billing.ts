import { resource } from '../endpoint/endpoint.ts'
import { parleyServerOnly } from '../endpoint/endpoint-origins.ts'
import { isoMicros } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { moneyUnits, payers, usageKinds } from '../values/money.ts'

/** Groupings of usage. */
const usageGroups = ['day', 'assistant', 'campaign', 'kind'] as const
export type UsageGroup = (typeof usageGroups)[number]

/** Where figures come from. A Parley server reads its ledger; elsewhere, figures are added up from lists. */
const billingSources = [
  'ledger',
  'subscriptions',
  'account',
  'number_list',
  'calls_and_conversations',
  'unknown',
] as const
const source = z.enum(billingSources)
const unit = z.enum(moneyUnits)
const paidFrom = z.enum(payers).describe('Balance, or the payment method on file')
const time = isoMicros.nullable()

/** What an account spent on one kind of usage. `kind` and `usage_kind` are the same, and both stay: scripts read either. */
export const KindUsage = z.object({
  kind: z.enum(usageKinds).describe('Same as usage_kind'),
  usage_kind: z.enum(usageKinds).describe('What was paid for'),
  unit: unit.nullable(),
  amount: z.number().describe('Charges less refunds'),
  charges: z.int(),
  paid_from: paidFrom,
})

/** Phone number of an account and what is charged for it. */
const BilledNumber = z.object({
  id: z.int(),
  phone_number: z.string(),
  nickname: z.string().nullable(),
  type: z.string(),
  price_usd: z.number().nullable().describe('USD per month; 0 without a subscription; null if unknown'),
  status: z.enum(['active', 'past_due', 'ending', 'none']).nullable().describe('Status of its subscription'),
  next_charge_at: time,
  ends_at: time.describe('When a released number is removed'),
})

/** Limit of an account. `max` is null if it is unlimited or unknown. */
const BillingLimit = z.object({
  limit: z.enum(['campaigns', 'recipients_per_day']),
  subject: z.string().nullable().describe('Sender that the limit applies to'),
  used: z.int().nullable(),
  max: z.int().nullable(),
  state: z.enum(['limited', 'unlimited', 'unknown']),
})

/** Prices of a platform in USD. */
export const BillingPrices = z.object({
  call_minute: z.number().describe('Each started minute of a call'),
  chat_message: z.number().describe('Each reply in a widget or API conversation'),
  sms_segment: z.number(),
  messages: z
    .record(z.string(), z.number())
    .describe('By category of the template; freeform inside the 24-hour window'),
})
export type BillingPrices = z.output<typeof BillingPrices>

/**
 * Billing of an account: unknown values are null. A Parley server fills it from its ledger (billing-service.ts); for other platforms the command line
 * composes it from lists (composeSummary of nouns/billing/commands.ts), which are the reason for the null values. Scripts read both: fields are added,
 * not renamed.
 */
export const BillingSummary = z.object({
  at: isoMicros,
  unit: unit.nullable().describe('Unit of the balance: usd for tenant accounts, minute for direct accounts'),
  balance: z.number().nullable(),
  has_payment_method: z.boolean().nullable(),
  month: z.object({
    since: isoMicros,
    until: isoMicros.describe('End of the month'),
    kinds: z.array(KindUsage),
    charged: z
      .number()
      .nullable()
      .describe('Charged to the balance, less refunds: the sum of the kinds that it pays for'),
    topped_up: z.number().nullable(),
    card_usd: z.number().nullable().describe('Charged to the payment method, less refunds: the sum of the other kinds'),
    is_complete: z.boolean().describe('False if more was spent than could be read'),
  }),
  numbers: z.array(BilledNumber),
  subscriptions: z.object({
    active: z.int().nullable(),
    past_due: z.int().nullable(),
    ending: z.int().nullable(),
    monthly_usd: z.number().nullable().describe('Price of the active and past due subscriptions'),
    next_charge_at: time,
  }),
  forecast: z.object({
    basis_days: z.number().describe('Days that the average is taken over'),
    average_per_day: z.number().nullable().describe('Charged to the balance'),
    month_charged: z.number().nullable().describe('Expected charges to the balance in the whole month'),
    month_card_usd: z.number().nullable().describe('Card charges of the month, with the renewals that are due'),
    days_left: z.number().nullable().describe('Days that the balance lasts; null if nothing was spent or unknown'),
  }),
  limits: z.array(BillingLimit),
  prices: BillingPrices.nullable(),
  sources: z.object({ balance: source, month: source, numbers: source, forecast: source, limits: source }),
})
export type BillingSummary = z.output<typeof BillingSummary>

/** Usage of one day, assistant, campaign or kind. */
export const UsageRow = z.object({
  key: z.string().nullable().describe('Day, id or kind; null for usage without an assistant or campaign'),
  name: z.string().nullable().describe('Name of the assistant or campaign'),
  unit: unit.nullable(),
  amount: z.number().describe('Charges less refunds'),
  charges: z.int(),
  paid_from: paidFrom,
})
export type UsageRow = z.output<typeof UsageRow>

const dateTime = z.iso.datetime({ offset: true, error: 'Use an ISO 8601 time such as 2026-01-31T09:00:00Z.' })
const billingOnly = parleyServerOnly(
  'billing',
  'Balance, usage, subscriptions, forecast and limits of the account can be read from its ledger',
)

/** Billing of the account. Only Parley servers have these endpoints. */
export const billing = resource('billing', {
  summary: {
    ...billingOnly,
    method: 'GET',
    path: '/api/user/billing/summary',
    summary: 'Show balance, usage, subscriptions, forecast and limits',
    status: 200,
    output: z.object({ data: BillingSummary }),
    errors: [],
    risk: 'read',
    record: 'data',
  },
  usage: {
    ...billingOnly,
    method: 'GET',
    path: '/api/user/billing/usage',
    summary: 'Show usage by day, assistant, campaign or kind',
    query: z.object({
      by: z.enum(usageGroups).default('day').describe('Grouping'),
      since: dateTime.optional().describe('Only charges at or after this time, ISO 8601 (default: start of the month)'),
      until: dateTime.optional().describe('Only charges before this time, ISO 8601'),
    }),
    status: 200,
    output: z.object({ data: z.array(UsageRow) }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
})
