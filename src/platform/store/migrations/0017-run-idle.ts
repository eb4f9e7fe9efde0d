// Released with 0.2.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Notes how long failed runs and steps had ended before they were retried: this time does not count for their duration. */
export const runIdle: Migration = {
  version: 17,
  name: 'run-idle',
  up: [
    'alter table automation_run add column idle {{bigint}} not null default 0',
    'alter table automation_step add column idle {{bigint}} not null default 0',
  ],
}
