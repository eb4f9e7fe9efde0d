// Released with 0.1.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Deliveries of events, ends of conversations and calls, and the tables of the simulators for both. */
export const events: Migration = {
  version: 8,
  name: 'events',
  up: [
    // Subject of an event, which also determines the events it must not overtake.
    'alter table outbox add column assistant_id {{bigint}}',
    'alter table outbox add column sender_id {{bigint}}',
    'alter table outbox add column event text',
    'create index outbox_created on outbox (created_at)',

    `create table delivery (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      outbox_id {{bigint}},
      message_id text not null,
      event text not null,
      lane text not null,
      assistant_id {{bigint}},
      sender_id {{bigint}},
      url text not null,
      payload {{json}} not null,
      status text not null check (status in ('pending', 'delivered', 'failed')),
      attempts {{bigint}} not null check (attempts >= 0),
      tries_left {{bigint}} not null,
      next_attempt_at {{bigint}},
      last_status {{bigint}},
      last_error text,
      created_at {{bigint}} not null,
      finished_at {{bigint}}
    ) {{strict}}`,
    'create unique index delivery_message on delivery (message_id)',
    'create unique index delivery_outbox on delivery (outbox_id) where outbox_id is not null',
    'create index delivery_account on delivery (account_id, id)',
    "create index delivery_lane on delivery (lane, id) where status = 'pending'",
    'create index delivery_created on delivery (created_at)',

    `create table delivery_attempt (
      id {{pk}},
      account_id {{bigint}} not null,
      delivery_id {{bigint}} not null,
      number {{bigint}} not null,
      at {{bigint}} not null,
      status {{bigint}},
      error text,
      answer text,
      ms {{bigint}} not null
    ) {{strict}}`,
    'create index delivery_attempt_delivery on delivery_attempt (delivery_id, number)',

    `create table webhook_secret (
      account_id {{bigint}} primary key not null references account (id),
      secret text not null,
      previous text,
      previous_until {{bigint}},
      created_at {{bigint}} not null
    ) {{strict}}`,

    'alter table sender add column webhook_url text',
    'alter table sender add column webhook_secret text',
    'create index channel_message_sid on channel_message (message_sid)',

    'alter table conversation add column ended_at {{bigint}}',
    'alter table conversation add column ends {{bigint}} not null default 0',

    'alter table phone_call add column lead_id {{bigint}}',
    'alter table phone_call add column turns {{json}}',
    'alter table phone_call add column finished_at {{bigint}}',

    'alter table local_call add column script {{json}}',
    `create table local_script (
      id {{pk}},
      callee text not null,
      script {{json}} not null
    ) {{strict}}`,
    'create index local_script_callee on local_script (callee, id)',
    `create table local_sender (
      phone_number text primary key not null,
      status text,
      quality_rating text,
      messaging_limit {{bigint}},
      limit_known {{bigint}}
    ) {{strict}}`,
    `create table local_template (
      sender text not null,
      name text not null,
      language text not null,
      status text not null,
      primary key (sender, name, language)
    ) {{strict}}`,
  ],
}
