// Released with 0.1.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Rules that make requests fail on purpose. */
export const faults: Migration = {
  version: 5,
  name: 'faults',
  up: [
    `create table fault (
      id {{pk}},
      endpoint text not null,
      account_id {{bigint}},
      rule {{json}} not null,
      met {{bigint}} not null default 0,
      fired {{bigint}} not null default 0,
      created_at {{bigint}} not null
    ) {{strict}}`,
    // The number of rules is in the row that every request reads for the time, so that requests cost nothing more
    // without rules.
    'alter table clock add column faults {{bigint}} not null default 0',
  ],
}
