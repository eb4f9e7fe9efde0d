// Released with 0.1.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Automations with their versions, runs and stored values. */
export const automations: Migration = {
  version: 6,
  name: 'automations',
  up: [
    `create table automation (
      id text primary key not null,
      account_id {{bigint}} not null references account (id),
      name text not null,
      status text not null check (status in ('enabled', 'disabled')),
      live_version text,
      draft_version text,
      draft_note text,
      cursor {{json}},
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null
    ) {{strict}}`,
    'create index automation_account on automation (account_id, created_at, id)',

    `create table automation_version (
      id text primary key not null,
      account_id {{bigint}} not null references account (id),
      automation_id text not null,
      position {{bigint}},
      definition {{json}} not null,
      program {{json}},
      hash text not null,
      trigger_kind text not null,
      event text,
      assistant_id {{bigint}},
      connections {{json}} not null,
      restored_from text,
      created_at {{bigint}} not null,
      published_at {{bigint}}
    ) {{strict}}`,
    'create unique index automation_version_position on automation_version (automation_id, position)',

    // Steps and runs are written often, so they have no foreign keys, which would need reads of other tables.
    `create table automation_run (
      number {{pk}},
      id text not null,
      account_id {{bigint}} not null,
      automation_id text not null,
      version_id text not null,
      testing {{bigint}} not null,
      status text not null check (status in ('RUNNING', 'PAUSED', 'SUCCEEDED', 'FAILED')),
      payload {{json}} not null,
      claims {{bigint}} not null,
      held {{bigint}} not null,
      mark {{bigint}} not null,
      stalls {{bigint}} not null,
      round {{bigint}} not null,
      active {{bigint}} not null,
      answer {{json}},
      error text,
      dedupe_key text,
      created_at {{bigint}} not null,
      finished_at {{bigint}}
    ) {{strict}}`,
    'create unique index automation_run_id on automation_run (id)',
    'create index automation_run_automation on automation_run (automation_id, number)',
    'create unique index automation_run_dedupe on automation_run (automation_id, dedupe_key) where dedupe_key is not null',

    `create table automation_step (
      run {{bigint}} not null,
      path text not null,
      account_id {{bigint}} not null,
      name text not null,
      position {{bigint}} not null,
      status text not null check (status in ('RUNNING', 'WAITING', 'PAUSED', 'SUCCEEDED', 'FAILED')),
      attempt {{bigint}} not null,
      failures {{bigint}} not null,
      items {{json}},
      output {{json}},
      error text,
      classification text,
      unresolved {{json}},
      log {{json}},
      started_at {{bigint}} not null,
      finished_at {{bigint}},
      primary key (run, path)
    ) {{clustered}}`,

    `create table automation_wait (
      id text primary key not null,
      account_id {{bigint}} not null,
      run {{bigint}} not null,
      path text not null,
      until {{bigint}},
      payload {{json}},
      resumed_at {{bigint}},
      unique (run, path)
    ) {{strict}}`,

    `create table automation_value (
      account_id {{bigint}} not null,
      owner text not null,
      key text not null,
      value {{json}} not null,
      primary key (account_id, owner, key)
    ) {{strict}}`,

    `create table automation_act (
      account_id {{bigint}} not null,
      key text not null,
      result {{json}} not null,
      created_at {{bigint}} not null,
      primary key (account_id, key)
    ) {{strict}}`,

    `create table automation_connection (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      kind text not null,
      name text not null,
      status text not null check (status in ('active', 'expired')),
      secret text not null,
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null,
      unique (account_id, name)
    ) {{strict}}`,
  ],
}
