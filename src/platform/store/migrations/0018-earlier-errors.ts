// Released with 0.2.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Stores the errors of the attempts of a step before its last one. A retry overwrote them before. */
export const earlierErrors: Migration = {
  version: 18,
  name: 'earlier-errors',
  up: ['alter table automation_step add column earlier_errors text'],
}
