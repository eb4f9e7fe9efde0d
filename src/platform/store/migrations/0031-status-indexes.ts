// Once a release has it (releases.ts), it never changes: databases of that release have run it. `Statement` of connection.ts
// explains {{ }}.

import type { Migration } from '../database/connection.ts'
import { createIndexes, findMissingIndexes, type Index } from './online-indexes.ts'

/** What is not over yet or has failed is little, so that an index of it alone is small, while a list of it would read all that is. */
const indexes: readonly Index[] = [
  ['automation_run_running', 'automation_run', 'account_id, number', "status = 'RUNNING'"],
  ['automation_run_paused', 'automation_run', 'account_id, number', "status = 'PAUSED'"],
  ['delivery_pending', 'delivery', 'account_id, id', "status = 'pending'"],
  ['channel_message_failed', 'channel_message', 'account_id, id', "state = 'failed' or delivery_status = 'failed'"],
  ['channel_message_status', 'channel_message', 'account_id, delivery_status, id', "state = 'sent'"],
]

/** Indexes of lists of runs, deliveries and messages of a status. PostgreSQL builds them while other servers use the tables. */
export const statusIndexes: Migration = {
  version: 31,
  name: 'status-indexes',
  online: findMissingIndexes(indexes),
  up: createIndexes(indexes),
}
