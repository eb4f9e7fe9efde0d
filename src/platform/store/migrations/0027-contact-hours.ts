// Once a release has it (releases.ts), it never changes: databases of that release have run it. `Statement` of connection.ts
// explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Hours, days and holidays of an account, outside which its campaigns wait. */
export const contactHours: Migration = {
  version: 27,
  name: 'contact-hours',
  up: [
    `create table contact_hours (
      account_id {{bigint}} not null references account (id),
      settings text not null,
      updated_at {{bigint}} not null,
      primary key (account_id)
    ) {{strict}}`,
  ],
}
