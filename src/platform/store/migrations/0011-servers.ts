// Released with 0.2.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import { phonePartsSchema } from '../campaigns/phone-search.ts'
import type { Migration } from '../database/connection.ts'

/**
 * Several servers over one database: their heartbeats, spreadsheets that all of them see, how a COMMIT ended whose answer
 * was lost, the traces of jobs and deliveries, when a run was cancelled, and an index for searches in the numbers of leads.
 */
export const servers: Migration = {
  version: 11,
  name: 'servers',
  up: [
    `create table server_node (
      id text primary key not null,
      host text not null,
      pid {{bigint}} not null,
      version text not null,
      url text,
      status text not null,
      drain_requested {{bigint}} not null default 0,
      started_at {{bigint}} not null,
      seen_at {{bigint}} not null
    ) {{strict}}`,
    ...phonePartsSchema,
    'create index due_account_time on due (account_id, due_at, id)',
    'drop index due_account',
    'alter table local_sheet add column content text',
    'alter table due add column trace text',
    'alter table delivery add column trace text',
    'alter table automation_run add column cancelled_at {{bigint}}',
    'alter table idempotency add column owner text',
    'alter table idempotency add column leased_until {{bigint}} not null default 0',
    {
      postgres: 'create table commit_marker (id text primary key, created_at timestamptz not null default now())',
    },
  ],
}
