// Once a release has it (releases.ts), it never changes: databases of that release have run it. `Statement` of connection.ts
// explains {{ }}.

import type { Migration } from '../database/connection.ts'

/**
 * Messages, SMS and calls that wait until the hours of the account are open, and runs of automations that do. Sends that keep the
 * hours are marked, so that one that a crash interrupted does not start outside them.
 */
export const waitingContacts: Migration = {
  version: 28,
  name: 'waiting-contacts',
  up: [
    `create table waiting_contact (
      account_id {{bigint}} not null references account (id),
      id {{bigint}} not null,
      channel text not null,
      phone_number text {{ascii}} not null,
      state text not null,
      request text not null,
      run_id text,
      key_id {{bigint}},
      idempotency_key text {{ascii}},
      opens_at {{bigint}} not null,
      started_id {{bigint}},
      failure text,
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null,
      primary key (account_id, id)
    ) {{strict}}`,
    'create index waiting_contact_state on waiting_contact (account_id, state, id)',
    'alter table channel_message add column keeps_hours integer',
    'alter table sms_message add column keeps_hours integer',
    'alter table phone_call add column keeps_hours integer',
    'create unique index waiting_contact_key on waiting_contact (account_id, idempotency_key)',
  ],
}
