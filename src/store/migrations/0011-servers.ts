import type { Migration } from '../database/connection.ts'

/** Several servers over one database: how a COMMIT ended whose answer was lost. */
export const servers: Migration = {
  version: 11,
  name: 'servers',
  up: [
    {
      postgres: 'create table commit_marker (id text primary key, created_at timestamptz not null default now())',
    },
  ],
}
