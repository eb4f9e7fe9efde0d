// Once a release has it (releases.ts), it never changes: databases of that release have run it. `Statement` of connection.ts
// explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Operations that wait for the approval of a person. */
export const approvals: Migration = {
  version: 20,
  name: 'approvals',
  up: [
    `create table approval (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      uuid text not null,
      key_id {{bigint}} not null,
      asked_by text,
      heading text not null,
      plan text not null,
      hash text not null,
      state text not null,
      created_at {{bigint}} not null,
      expires_at {{bigint}} not null,
      decided_at {{bigint}},
      decided_by {{bigint}},
      reason text,
      runner text,
      outcomes text not null
    ) {{strict}}`,
    'create unique index approval_uuid on approval (account_id, uuid)',
    'create index approval_created on approval (account_id, created_at)',
  ],
}
