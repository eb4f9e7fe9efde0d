// Once a release has it (releases.ts), it never changes: databases of that release have run it. `Statement` of connection.ts
// explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Markers of commits that lie beside the rows of their account, for databases whose accounts lie on shards. */
export const accountCommits: Migration = {
  version: 23,
  name: 'account-commits',
  up: [
    {
      postgres: `create table account_commit (
        account_id bigint not null,
        id text not null,
        created_at timestamptz not null default now(),
        primary key (account_id, id)
      )`,
    },
  ],
}
