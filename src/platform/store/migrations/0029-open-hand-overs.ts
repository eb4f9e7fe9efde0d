// Once a release has it (releases.ts), it never changes: databases of that release have run it. `Statement` of connection.ts
// explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** How many processes may still start a request of a send: more than one after a process was slow. */
export const openHandOvers: Migration = {
  version: 29,
  name: 'open-hand-overs',
  up: ['channel_message', 'sms_message', 'phone_call'].map(
    (table) => `alter table ${table} add column open_hand_overs integer`,
  ),
}
