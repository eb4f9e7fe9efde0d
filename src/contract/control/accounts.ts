import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { id, isoMicros, messageResponse, text } from '../endpoint/field-schemas.ts'
import { keyRestrictions } from '../resources/keys.ts'
import * as z from '../schema/schema.ts'
import { moneyUnits, usageKinds } from '../values/money.ts'

/**
 * Account of a local platform.
 * The control endpoints (accounts, clock, data) exist only on local platforms. They are served under `/control`, accept
 * only the control token, and have an OpenAPI document of their own.
 */
export const Account = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  kind: z.enum(['tenant', 'direct']).describe('Billing type: tenant pays in USD, direct in minutes'),
  balance: z.number().describe('USD or minutes'),
  minute_rate: z.number().nullable().describe('USD per minute, for direct accounts'),
  payment_method: z.string().nullable(),
  numbers: z.int(),
  max_campaigns: z.int().nullable().describe('Maximum campaigns of its plan; null for unlimited'),
  created_at: isoMicros,
})
export type Account = z.output<typeof Account>

/** Entry of the ledger of an account. Rows have `kind`, by which billing adds up: kinds are added, not renamed. */
export const LedgerEntry = z.object({
  id: z.int(),
  kind: z
    .enum(['top_up', 'charge', 'refund', 'correction', 'card_charge', 'card_refund'])
    .describe('Type of the transaction. A correction sets the balance; it is neither usage nor a top-up'),
  usage_kind: z.enum(usageKinds).nullable().describe('What was paid for; null if nothing was'),
  unit: z.enum(moneyUnits),
  amount: z.number(),
  balance_after: z.number().nullable(),
  reason: z.string(),
  reference: z.string().nullable(),
  created_at: isoMicros,
})

export type LedgerEntry = z.output<typeof LedgerEntry>

const path = z.object({ id: id.describe('Id of the account') })
const accountFields = {
  name: text(255, 1).describe('Name of the account'),
  email: z.email().describe('Email address of the owner'),
  payment_method: z
    .string()
    .regex(/^pm_[a-z0-9_]{1,60}$/)
    .nullable()
    .describe('Payment method on file, such as pm_card_visa or pm_card_declined'),
}
const credits = z.number().min(0).max(1_000_000_000)

export const accounts = resource('accounts', {
  list: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/accounts',
    summary: 'List accounts',
    status: 200,
    output: z.object({ data: z.array(Account) }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  create: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/accounts',
    summary: 'Create an account and its API key, shown once',
    body: z.object({
      name: accountFields.name,
      email: accountFields.email.optional(),
      kind: Account.shape.kind.default('tenant').describe('Billing type: tenant pays in USD, direct in minutes'),
      balance: credits.default(0).describe('Initial balance in USD or minutes'),
      minute_rate: z.number().min(0.000001).max(1000).default(0.1).describe('USD per minute, for direct accounts'),
      payment_method: accountFields.payment_method.default(null),
    }),
    status: 201,
    output: z.object({ message: z.string(), data: Account, token: z.string() }),
    errors: [],
    risk: 'write',
    byPerson: true,
    successProof: { 'data.id': 'id', token: 'id' },
    record: 'data',
  },
  update: {
    ...controlEndpoint,
    method: 'PUT',
    path: '/control/accounts/{id}',
    summary: 'Update balance, payment method or plan',
    params: path,
    body: z
      .object({
        ...accountFields,
        balance: credits.describe('New balance in USD or minutes'),
        // After `balance`, if both are given.
        top_up: credits.describe('USD or minutes to add'),
        max_campaigns: z
          .int()
          .min(0)
          .max(1_000_000)
          .nullable()
          .describe('Maximum campaigns of its plan (default: unlimited)'),
      })
      .partial(),
    status: 200,
    output: z.object({ message: z.string(), data: Account }),
    errors: ['accounts.not_found'],
    risk: 'write',
    byPerson: true,
    record: 'data',
  },
  key: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/accounts/{id}/keys',
    summary: 'Create an API key for an account; it is shown once',
    params: path,
    body: z.object({ name: text(255, 1).default('local').describe('Name of the key'), ...keyRestrictions }),
    status: 201,
    output: z.object({ message: z.string(), token: z.string() }),
    errors: ['accounts.not_found'],
    risk: 'write',
    byPerson: true,
    successProof: { token: 'id' },
  },
  senders: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/accounts/{id}/senders',
    summary: 'Add the messaging senders and templates of the sample data to an account; its first assistant answers',
    params: path,
    status: 200,
    output: messageResponse,
    errors: ['accounts.not_found'],
    risk: 'write',
  },
  delete: {
    ...controlEndpoint,
    method: 'DELETE',
    path: '/control/accounts/{id}',
    summary: 'Delete an account and all its data',
    params: path,
    status: 200,
    output: messageResponse,
    errors: ['accounts.not_found'],
    risk: 'destructive',
    byPerson: true,
  },
  ledger: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/accounts/{id}/ledger',
    summary: 'List the transactions of an account',
    params: path,
    status: 200,
    output: z.object({ data: z.array(LedgerEntry) }),
    errors: ['accounts.not_found'],
    risk: 'read',
    items: 'data',
  },
})
