// Once a release has it (releases.ts), it never changes: databases of that release have run it. `Statement` of connection.ts
// explains {{ }}.

import type { Migration } from '../database/connection.ts'
import { createIndexes, findMissingIndexes, type Index } from './online-indexes.ts'

/** Indexes in the order of lists that are read newest first, so that a page of many rows reads its own rows only. */
const indexes: readonly Index[] = [
  // The timeline of an account, by time.
  ['outbox_listed', 'outbox', 'account_id, created_at, id'],
  ['delivery_listed', 'delivery', 'account_id, created_at, id'],
  ['automation_run_listed', 'automation_run', 'account_id, created_at, number'],
  ['message_listed', 'message', 'account_id, created_at, id'],
  ['phone_call_timed', 'phone_call', 'account_id, created_at, id'],
  ['ledger_listed', 'ledger', 'account_id, created_at, id'],
  // That of all accounts. Events and deliveries have one for their purge.
  ['automation_run_created', 'automation_run', 'created_at'],
  ['message_created', 'message', 'created_at'],
  ['phone_call_created', 'phone_call', 'created_at'],
  ['ledger_created', 'ledger', 'created_at'],
  // Failures are few, so that an index of them alone is small.
  ['delivery_failed', 'delivery', 'account_id, id, created_at', "status = 'failed'"],
  ['automation_run_failed', 'automation_run', 'account_id, number, created_at', "status = 'FAILED'"],
  ['phone_call_failed', 'phone_call', 'account_id, id, created_at', "status = 'failed'"],
  // Messages that were sent, and the windows of conversations.
  ['channel_message_recipient', 'channel_message', 'account_id, recipient_phone, id'],
  [
    'conversation_window',
    'conversation',
    'account_id, window_until, id',
    "type = 'messaging' and window_until is not null",
  ],
]

/** PostgreSQL has a unique index with these columns. */
const indexOfSqlite: Index = ['channel_message_account', 'channel_message', 'account_id, id']

/** Indexes of lists. PostgreSQL builds them while other servers use the tables. */
export const listIndexes: Migration = {
  version: 24,
  name: 'list-indexes',
  online: findMissingIndexes(indexes),
  up: createIndexes([...indexes, indexOfSqlite]),
}
