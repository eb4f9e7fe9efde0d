// Released with 0.1.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Assistants and related tables, the messaging channel, SIP trunks. */
export const assistants: Migration = {
  version: 2,
  name: 'assistants',
  up: [
    `create table folder (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      name text not null,
      color text,
      created_at {{bigint}} not null
    ) {{strict}}`,
    'create unique index folder_name on folder (account_id, name)',

    `create table label (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      name text not null,
      color text,
      created_at {{bigint}} not null
    ) {{strict}}`,
    'create unique index label_name on label (account_id, name)',

    `create table knowledge_base (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      name text not null,
      description text,
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null
    ) {{strict}}`,
    'create index knowledge_base_account on knowledge_base (account_id, id)',

    `create table knowledge_document (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      knowledge_base_id {{bigint}} not null references knowledge_base (id),
      name text not null,
      description text,
      type text not null,
      status text not null check (status in ('processing', 'active', 'failed')),
      source {{json}} not null,
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null
    ) {{strict}}`,
    'create index knowledge_document_base on knowledge_document (account_id, knowledge_base_id, id)',

    `create table assistant (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      uuid text not null,
      name text not null,
      type text not null check (type in ('inbound', 'outbound')),
      mode text not null,
      status text not null,
      phone_number_id {{bigint}},
      folder_id {{bigint}},
      knowledgebase_id {{bigint}},
      settings {{json}} not null,
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null,
      deleted_at {{bigint}}
    ) {{strict}}`,
    'create unique index assistant_uuid on assistant (uuid)',
    'create index assistant_account on assistant (account_id, id)',
    'create index assistant_number on assistant (phone_number_id) where phone_number_id is not null',
    // Only one assistant answers a number; any number of others may call from it.
    "create unique index assistant_answers on assistant (phone_number_id) where type = 'inbound' and phone_number_id is not null",

    `create table assistant_label (
      account_id {{bigint}} not null references account (id),
      assistant_id {{bigint}} not null references assistant (id),
      label_id {{bigint}} not null references label (id),
      primary key (assistant_id, label_id)
    ) {{strict}}`,
    'create index assistant_label_label on assistant_label (label_id)',

    `create table assistant_tool (
      account_id {{bigint}} not null references account (id),
      assistant_id {{bigint}} not null references assistant (id),
      tool_id {{bigint}} not null references tool (id),
      position {{bigint}} not null,
      primary key (assistant_id, tool_id)
    ) {{strict}}`,
    'create index assistant_tool_tool on assistant_tool (tool_id)',

    `create table event_slot (
      account_id {{bigint}} not null references account (id),
      assistant_id {{bigint}} not null references assistant (id),
      event text not null,
      holder text not null check (holder in ('webhook', 'automation')),
      target text not null,
      created_at {{bigint}} not null,
      primary key (assistant_id, event)
    ) {{strict}}`,

    `create table sender (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      phone_number text not null,
      display_name text not null,
      status text not null check (status in ('online', 'offline')),
      quality_rating text not null,
      messaging_limit {{bigint}},
      limit_known {{bigint}} not null check (limit_known in (0, 1)),
      voice_calling_enabled {{bigint}} not null check (voice_calling_enabled in (0, 1)),
      assistant_id {{bigint}},
      created_at {{bigint}} not null
    ) {{strict}}`,
    'create index sender_account on sender (account_id, id)',

    `create table message_template (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      sender_id {{bigint}} not null references sender (id),
      name text not null,
      language text not null,
      category text not null,
      status text not null,
      body_text text not null,
      variables {{json}} not null,
      is_synced {{bigint}} not null check (is_synced in (0, 1)),
      is_voice_call {{bigint}} not null check (is_voice_call in (0, 1)),
      created_at {{bigint}} not null
    ) {{strict}}`,
    'create index message_template_sender on message_template (account_id, sender_id, id)',

    `create table conversation (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      uuid text not null,
      assistant_id {{bigint}} not null references assistant (id),
      type text not null check (type in ('test', 'widget', 'messaging', 'api')),
      status text not null,
      sender_id {{bigint}},
      customer_phone text,
      customer_name text,
      external_identifier text,
      variables {{json}} not null,
      message_count {{bigint}} not null,
      total_cost {{bigint}} not null,
      ai_enabled {{bigint}} not null check (ai_enabled in (0, 1)),
      window_until {{bigint}},
      last_customer_message_at {{bigint}},
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null
    ) {{strict}}`,
    'create unique index conversation_uuid on conversation (uuid)',
    'create index conversation_account on conversation (account_id, id)',
    'create index conversation_assistant on conversation (assistant_id, id)',
    'create index conversation_recipient on conversation (sender_id, customer_phone, id) where customer_phone is not null',
    "create unique index conversation_customer on conversation (sender_id, customer_phone) where type = 'messaging' and status = 'open'",

    `create table message (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      conversation_id {{bigint}} not null references conversation (id),
      role text not null,
      content text not null,
      function_calls {{json}},
      created_at {{bigint}} not null
    ) {{strict}}`,
    'create index message_conversation on message (conversation_id, id)',

    `create table channel_message (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      sender_id {{bigint}} not null references sender (id),
      conversation_id {{bigint}} references conversation (id),
      message_id {{bigint}} references message (id),
      template_id {{bigint}},
      recipient_phone text not null,
      state text not null check (state in ('sending', 'sent', 'failed')),
      idempotency_key text,
      message_sid text,
      delivery_status text,
      cost {{bigint}} not null,
      body text not null,
      placeholders {{json}},
      media_url text,
      filename text,
      failure {{json}},
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null
    ) {{strict}}`,
    'create index channel_message_sender on channel_message (sender_id, created_at)',
    'create unique index channel_message_key on channel_message (account_id, idempotency_key) where idempotency_key is not null',

    `create table sip_trunk (
      number_id {{bigint}} primary key not null references phone_number (id),
      account_id {{bigint}} not null references account (id),
      phone_number text not null,
      version {{bigint}} not null,
      trunk_type text not null,
      sip_username text not null,
      sip_password text not null,
      sip_address text not null,
      calling_format text not null,
      authorization_type text not null,
      allowed_ips {{json}},
      outbound_proxy {{bigint}} not null check (outbound_proxy in (0, 1)),
      country_code text not null,
      inbound_trunk_id text not null,
      outbound_trunk_id text not null,
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null
    ) {{strict}}`,
    'create index sip_trunk_account on sip_trunk (account_id, number_id)',
    'create unique index sip_trunk_once on sip_trunk (account_id, phone_number, sip_username, lower(sip_address))',

    `create table provisioned_trunk (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      number_id {{bigint}},
      direction text not null check (direction in ('inbound', 'outbound')),
      state text not null check (state in ('wanted', 'live', 'unwanted')),
      created_at {{bigint}} not null
    ) {{strict}}`,
    "create unique index provisioned_trunk_live on provisioned_trunk (number_id, direction) where state = 'live'",

    `create table local_channel_send (
      key text primary key not null,
      sid text,
      sender text not null,
      recipient text not null,
      body text not null,
      media_url text,
      failure {{json}}
    ) {{strict}}`,

    `create table request_log (
      account_id {{bigint}} not null,
      name text not null,
      times {{json}} not null,
      primary key (account_id, name)
    ) {{strict}}`,

    `create table local_trunk (
      key text primary key not null,
      id text,
      direction text,
      configuration {{json}},
      failure text,
      deleted {{bigint}} not null check (deleted in (0, 1))
    ) {{strict}}`,
    'create unique index local_trunk_id on local_trunk (id) where id is not null',

    // A SIP extension is not globally unique, so only numbers of the public network must be unique.
    'drop index phone_number_once',
    "create unique index phone_number_once on phone_number (phone_number) where type <> 'sip'",
  ],
}
