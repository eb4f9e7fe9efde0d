// Released with 0.2.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Inputs of steps for display, runs across automations, and an end for tests that wait at a step. */
export const runRecords: Migration = {
  version: 10,
  name: 'run-records',
  up: [
    'alter table automation_step add column input {{json}}',
    'alter table automation_step add column shown {{json}}',
    'create index automation_run_account on automation_run (account_id, number)',
    'create index automation_run_test on automation_run (version_id) where testing = 1',
    `create table automation_webhook (
      account_id {{bigint}} primary key not null references account (id),
      url text not null
    ) {{strict}}`,
    "update automation_run set finished_at = created_at where testing = 1 and status = 'PAUSED' and finished_at is null",
  ],
}
