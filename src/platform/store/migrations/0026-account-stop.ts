// Once a release has it (releases.ts), it never changes: databases of that release have run it. `Statement` of connection.ts
// explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** When everything that an account does on its own was stopped; null while it is not. */
export const accountStop: Migration = {
  version: 26,
  name: 'account-stop',
  up: ['alter table account add column stopped_at {{bigint}}'],
}
