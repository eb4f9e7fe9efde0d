// Released with 0.1.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.
// That includes what countedSchema returns: test/upgrade compares a database of 0.1.0 with a new one.

import { conversationList, countedSchema, countRowsSql } from '../counters/counted-lists.ts'
import type { Migration } from '../database/connection.ts'

/** Conversations started by customers, calls, SMS, and the tables of the simulators for them. */
export const conversations: Migration = {
  version: 4,
  name: 'conversations',
  up: [
    'alter table message add column idempotency_key text',
    'create unique index message_key on message (account_id, idempotency_key) where idempotency_key is not null',
    "create unique index conversation_identifier on conversation (assistant_id, external_identifier) where type = 'api' and status = 'open'",
    'drop index conversation_account',
    'drop index conversation_assistant',
    ...countedSchema(conversationList),
    // Existing conversations must be counted.
    countRowsSql(conversationList),

    `create table phone_call (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      assistant_id {{bigint}} references assistant (id),
      campaign_id {{bigint}},
      campaign_name text,
      type text not null check (type in ('inbound', 'outbound', 'web')),
      state text not null check (state in ('dialling', 'going', 'over')),
      status text not null,
      assistant_phone_number text,
      client_phone_number text,
      duration {{bigint}} not null,
      transcript text,
      variables {{json}} not null,
      evaluation {{json}},
      answered_by text,
      recording_url text,
      carrier_cost {{bigint}} not null,
      total_cost {{bigint}} not null,
      idempotency_key text,
      sid text,
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null
    ) {{strict}}`,
    'create index phone_call_account on phone_call (account_id, id)',
    'create index phone_call_assistant on phone_call (assistant_id, id)',
    'create unique index phone_call_key on phone_call (account_id, idempotency_key) where idempotency_key is not null',

    `create table sms_message (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      number_id {{bigint}} not null,
      sender text not null,
      recipient text not null,
      body text not null,
      state text not null check (state in ('sending', 'sent', 'failed')),
      segments {{bigint}} not null,
      segment_price {{bigint}} not null,
      cost {{bigint}} not null,
      sms_sid text,
      delivery_status text,
      failure text,
      idempotency_key text,
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null
    ) {{strict}}`,
    'create index sms_message_account on sms_message (account_id, id)',
    'create unique index sms_message_key on sms_message (account_id, idempotency_key) where idempotency_key is not null',

    `create table local_call (
      key text primary key not null,
      sid text,
      caller text,
      callee text not null,
      at {{bigint}} not null,
      failure text
    ) {{strict}}`,

    `create table local_sms (
      key text primary key not null,
      sid text,
      sender text not null,
      recipient text not null,
      body text not null,
      failure text
    ) {{strict}}`,
  ],
}
