// Released with 0.2.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Finds the runs that another run called while they have not ended. */
export const calledRuns: Migration = {
  version: 14,
  name: 'called-runs',
  up: [
    'create index automation_run_called on automation_run (dedupe_key) where finished_at is null and dedupe_key is not null',
  ],
}
