// Once a release has it (releases.ts), it never changes: databases of that release have run it. `Statement` of connection.ts
// explains {{ }}.

import type { Migration } from '../database/connection.ts'
import { createIndexes, findMissingIndexes, type Index } from './online-indexes.ts'

const indexes: readonly Index[] = [
  ['channel_message_handed_over', 'channel_message', 'account_id, recipient_phone', 'open_hand_overs > 0'],
  ['sms_message_handed_over', 'sms_message', 'account_id, recipient', 'open_hand_overs > 0'],
  ['phone_call_handed_over', 'phone_call', 'account_id, client_phone_number', 'open_hand_overs > 0'],
]

/**
 * Indexes of sends of which a request may still start, by recipient. They replace those of sends without an outcome: a send may
 * have one while another process may still start its request. They are small, because a send is over after a moment.
 */
export const handOverIndexes: Migration = {
  version: 30,
  name: 'hand-over-indexes',
  online: findMissingIndexes(indexes),
  up: [
    ...createIndexes(indexes),
    'drop index if exists channel_message_sending',
    'drop index if exists sms_message_sending',
    'drop index if exists phone_call_dialling',
  ],
}
