// Endpoints of a local platform as a whole: its state, its data, checks and due jobs.

import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { messageResponse } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'
import { durationPattern } from '../values/duration.ts'
import { ClockState, clockTime } from './clock.ts'

const CheckedList = z.object({
  list: z.string(),
  wrong: z.int().nullable().describe('Number of wrong counters; null if they cannot be read'),
})

const seedBody = z.object({
  data: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Accounts and their records instead of the built-in sample data, as written by parley server export'),
  // `parley server start` and `startPlatform` refuse others as well (cli/nouns/server/start-settings.ts, testing/start-test-platform.ts).
  seed: z
    .int()
    .min(0)
    .max(2 ** 31)
    .optional()
    .describe('Number that makes the sample data and its secrets reproducible'),
})

export const platform = resource('platform', {
  status: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/status',
    summary: 'Show the providers and data of this platform',
    status: 200,
    output: z.object({
      version: z.string(),
      schema: z.int(),
      database: z.string(),
      database_location: z.string().nullable().describe('Host, port and name of the PostgreSQL database'),
      database_distributed: z.boolean().describe('Whether the tables of accounts are distributed over nodes of Citus'),
      seed: z.int().nullable(),
      providers: z.record(z.string(), z.string()),
      clock: ClockState.omit({ done: true }),
      accounts: z.int(),
      numbers: z.int(),
      due: z.int(),
      faults: z.int().describe('Number of fault rules'),
      faults_fired: z.int().describe('Number of triggered faults'),
    }),
    errors: [],
    risk: 'read',
  },
  check: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/check',
    summary: 'Check the database and its counters',
    status: 200,
    output: z.object({
      database: z.string(),
      schema: z.int(),
      problems: z.array(z.string()),
      lists: z.array(CheckedList),
      balances: z
        .object({
          accounts: z.int(),
          wrong: z.array(z.object({ account: z.int(), balance: z.number(), ledger: z.number() })),
        })
        .nullable()
        .describe('Accounts whose balance is not the sum of their ledger; null if they cannot be read'),
      settings: z
        .array(z.object({ problem: z.string(), fix: z.string() }))
        .optional()
        .describe('Settings of the role and the pooler in front of the database that servers work badly with'),
    }),
    errors: [],
    risk: 'read',
  },
  recount: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/check/recount',
    summary: 'Rebuild the counters of long lists from their rows',
    status: 200,
    output: z.object({ message: z.string(), lists: z.array(CheckedList).describe('Errors before the rebuild') }),
    errors: ['platform.damaged'],
    risk: 'write',
  },
  seed: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/seed',
    summary: 'Load sample data into an empty local platform',
    body: seedBody,
    status: 200,
    output: z.object({ message: z.string(), token: z.string() }),
    errors: ['platform.not_empty', 'snapshots.seeded'],
    risk: 'write',
  },
  export: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/export',
    summary: 'Export accounts and their records as sample data',
    query: z.object({
      include_secrets: z.boolean().default(false).describe('Include passwords, tokens and hashes of keys'),
    }),
    status: 200,
    output: z.object({ data: z.record(z.string(), z.unknown()) }),
    errors: [],
    risk: 'read',
  },
  reset: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/reset',
    summary: 'Delete all data and load sample data again',
    body: seedBody.extend({
      clock: clockTime('clock')
        .optional()
        .describe('Time to freeze the clock at, ISO 8601 (default: the one the server was started with, or real time)'),
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
    summary: 'Delete old deliveries, events, runs and requests',
    body: z.object({
      older_than: z
        .string()
        .regex(durationPattern, {
          error: 'The older than field must be a duration such as 24h or 30d; 0s is everything.',
        })
        .default('30d')
        .describe('Minimum age: 30d, 24h; 0s for everything'),
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
    summary: 'Run the jobs that are due',
    status: 200,
    output: messageResponse,
    errors: [],
    risk: 'write',
  },
})
