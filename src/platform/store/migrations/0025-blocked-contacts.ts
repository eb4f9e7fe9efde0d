// Once a release has it (releases.ts), it never changes: databases of that release have run it. `Statement` of connection.ts
// explains {{ }}.

import type { Migration } from '../database/connection.ts'
import { createIndexes, findMissingIndexes, type Index } from './online-indexes.ts'

/** Indexes of sends that have no outcome yet, by recipient. They are small, because a send has its outcome after a moment. */
const indexes: readonly Index[] = [
  ['channel_message_sending', 'channel_message', 'account_id, recipient_phone', "state = 'sending'"],
  ['sms_message_sending', 'sms_message', 'account_id, recipient', "state = 'sending'"],
  ['phone_call_dialling', 'phone_call', 'account_id, client_phone_number', "state = 'dialling'"],
]

/**
 * Phone numbers that an account must not contact, its words to opt out, and when a send was handed over to its provider, in milliseconds of the wall
 * time. PostgreSQL builds the indexes while other servers use the tables.
 */
export const blockedContacts: Migration = {
  version: 25,
  name: 'blocked-contacts',
  online: findMissingIndexes(indexes),
  up: [
    `create table blocked_contact (
      account_id {{bigint}} not null references account (id),
      phone_number text {{ascii}} not null,
      channel text not null,
      reason text,
      source text not null,
      created_at {{bigint}} not null,
      primary key (account_id, phone_number, channel)
    ) {{strict}}`,
    `create table opt_out_setting (
      account_id {{bigint}} not null references account (id),
      settings text not null,
      updated_at {{bigint}} not null,
      primary key (account_id)
    ) {{strict}}`,
    'alter table channel_message add column is_confirmation integer',
    'alter table channel_message add column handed_over_at {{bigint}}',
    'alter table sms_message add column handed_over_at {{bigint}}',
    'alter table phone_call add column handed_over_at {{bigint}}',
    ...createIndexes(indexes),
  ],
}
