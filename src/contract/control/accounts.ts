import * as z from 'zod'
import { resource } from '../mechanics/endpoint.ts'
import { id, isoMicros, messageResponse, text } from '../mechanics/field-schemas.ts'
import { ClockState } from './clock.ts'

/**
 * What only a platform of one's own offers: its accounts, its clock, its data. A second table beside the public one,
 * served under `/control` to the control token alone and absent from the OpenAPI document.
 */

export const Account = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  kind: z.enum(['tenant', 'direct']).describe('tenant pays in credits, direct in minutes'),
  balance: z.number().describe('Credits or minutes'),
  minute_rate: z.number().nullable().describe('USD a minute, for direct accounts'),
  payment_method: z.string().nullable(),
  numbers: z.int(),
  max_campaigns: z.int().nullable().describe('Campaigns its plan allows; null for any number'),
  created_at: isoMicros,
})
export type Account = z.output<typeof Account>

export const LedgerEntry = z.object({
  id: z.int(),
  kind: z.enum(['top_up', 'charge', 'refund', 'card_charge', 'card_refund']),
  unit: z.enum(['credit', 'minute', 'usd']),
  amount: z.number(),
  balance_after: z.number().nullable(),
  reason: z.string(),
  reference: z.string().nullable(),
  created_at: isoMicros,
})

const path = z.object({ id: id.describe('Id of the account') })
const accountFields = {
  name: text(255, 1).describe('Name of the account'),
  email: z.email().describe('Address of its owner'),
  payment_method: z
    .string()
    .regex(/^pm_[a-z0-9_]{1,60}$/)
    .nullable()
    .describe('Payment method on file, such as pm_card_visa or pm_card_declined'),
}
const credits = z.number().min(0).max(1_000_000_000)
const controlEndpoint = { auth: 'control', section: 'local', assumed: 'only on a platform of your own' } as const

export const accounts = resource('accounts', {
  list: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/accounts',
    summary: 'List the accounts of this platform',
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
    summary: 'Create an account with a first API key, shown once',
    body: z.object({
      name: accountFields.name,
      email: accountFields.email.optional(),
      kind: Account.shape.kind.default('tenant').describe('tenant pays in credits, direct in minutes'),
      balance: credits.default(0).describe('Credits or minutes to begin with'),
      minute_rate: z.number().min(0.000001).max(1000).default(0.1).describe('USD a minute, for direct accounts'),
      payment_method: accountFields.payment_method.default(null),
    }),
    status: 201,
    output: z.object({ message: z.string(), data: Account, token: z.string() }),
    errors: [],
    risk: 'write',
    successProof: { 'data.id': 'id', token: 'id' },
    record: 'data',
  },
  update: {
    ...controlEndpoint,
    method: 'PUT',
    path: '/control/accounts/{id}',
    summary: 'Change an account: its balance, its payment method',
    params: path,
    body: z
      .object({
        ...accountFields,
        balance: credits.describe('Credits or minutes it has from now on; 0 for none'),
        top_up: credits.describe('Credits or minutes to add'),
        max_campaigns: z
          .int()
          .min(0)
          .max(1_000_000)
          .nullable()
          .describe('Campaigns its plan allows; any number without'),
      })
      .partial(),
    status: 200,
    output: z.object({ message: z.string(), data: Account }),
    errors: ['accounts.not_found'],
    risk: 'write',
    record: 'data',
  },
  key: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/accounts/{id}/keys',
    summary: 'Give an account another API key, shown once',
    params: path,
    body: z.object({ name: text(255, 1).default('local').describe('What the key is for') }),
    status: 201,
    output: z.object({ message: z.string(), token: z.string() }),
    errors: ['accounts.not_found'],
    risk: 'write',
    successProof: { token: 'id' },
  },
  senders: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/accounts/{id}/senders',
    summary:
      'Give an account the messaging senders and templates of the example world; its first assistant answers for them',
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
    summary: 'Delete an account and everything of it',
    params: path,
    status: 200,
    output: messageResponse,
    errors: ['accounts.not_found'],
    risk: 'destructive',
  },
  ledger: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/accounts/{id}/ledger',
    summary: 'Every movement of money of an account',
    params: path,
    status: 200,
    output: z.object({ data: z.array(LedgerEntry) }),
    errors: ['accounts.not_found'],
    risk: 'read',
    items: 'data',
  },
})

const CheckedList = z.object({ list: z.string(), wrong: z.int().describe('Counters that differ from the rows') })

export const platform = resource('platform', {
  status: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/status',
    summary: 'Show what this platform is made of and holds',
    status: 200,
    output: z.object({
      version: z.string(),
      schema: z.int(),
      database: z.string(),
      seed: z.int().nullable(),
      providers: z.record(z.string(), z.string()),
      clock: ClockState.omit({ done: true }),
      accounts: z.int(),
      numbers: z.int(),
      due: z.int(),
      faults: z.int().describe('Rules that make requests fail on purpose'),
      faults_fired: z.int().describe('Requests they struck'),
    }),
    errors: [],
    risk: 'read',
  },
  check: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/check',
    summary: 'Check the database from end to end, and the counters of long lists',
    status: 200,
    output: z.object({
      database: z.string(),
      schema: z.int(),
      problems: z.array(z.string()),
      lists: z.array(CheckedList),
    }),
    errors: [],
    risk: 'read',
  },
  recount: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/check/recount',
    summary: 'Make the counters of long lists anew from their rows',
    status: 200,
    output: z.object({ message: z.string(), lists: z.array(CheckedList).describe('What was wrong before') }),
    errors: [],
    risk: 'write',
  },
  seed: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/seed',
    summary: 'Fill an empty platform with a small world',
    body: z.object({
      seed: z
        .int()
        .min(0)
        .max(2 ** 31)
        .optional()
        .describe('Number that makes the world the same every time; secrets too'),
    }),
    status: 200,
    output: z.object({ message: z.string(), token: z.string() }),
    errors: ['platform.not_empty', 'snapshots.seeded'],
    risk: 'write',
  },
  reset: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/reset',
    summary: 'Forget everything this platform holds and seed it again',
    body: z.object({
      seed: z
        .int()
        .min(0)
        .max(2 ** 31)
        .optional()
        .describe('Number that makes the world the same every time; secrets too'),
    }),
    status: 200,
    output: z.object({ message: z.string(), token: z.string() }),
    errors: ['snapshots.seeded'],
    risk: 'destructive',
  },
  purge: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/purge',
    summary: 'Forget what was kept of the past: deliveries, events, runs, requests',
    body: z.object({
      older_than: z
        .string()
        .regex(/^\d{1,9}(s|m|h|d|w)$/, {
          error: 'The older than field must be a duration such as 24h or 30d; 0s is everything.',
        })
        .default('30d')
        .describe('How long ago it must have been: 30d, 24h; 0s for everything'),
    }),
    status: 200,
    output: z.object({ message: z.string(), deliveries: z.int(), events: z.int(), runs: z.int(), requests: z.int() }),
    errors: [],
    risk: 'destructive',
  },
  drain: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/drain',
    summary: 'Do the work that is due now',
    status: 200,
    output: messageResponse,
    errors: [],
    risk: 'write',
  },
})
