// Released with 0.1.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import type { Migration } from '../database/connection.ts'

/**
 * First schema. Only values that will not be extended have a check constraint: SQLite cannot change one without copying
 * the table.
 */
export const first: Migration = {
  version: 1,
  name: 'first',
  up: [
    'create table meta (key text primary key not null, value text not null) {{strict}}',

    `create table clock (
      id {{bigint}} primary key not null check (id = 1),
      frozen_at {{bigint}},
      "offset" {{bigint}} not null
    ) {{strict}}`,
    'insert into clock (id, frozen_at, "offset") values (1, null, 0)',

    `create table account (
      id {{pk}},
      name text not null,
      email text not null,
      kind text not null check (kind in ('tenant', 'direct')),
      balance {{bigint}} not null,
      minute_rate {{bigint}} not null check (minute_rate >= 0),
      payment_method text,
      created_at {{bigint}} not null
    ) {{strict}}`,

    `create table api_key (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      name text not null,
      hash text not null,
      last_used_at {{bigint}},
      created_at {{bigint}} not null
    ) {{strict}}`,
    'create index api_key_account on api_key (account_id, id)',
    'create unique index api_key_hash on api_key (hash)',

    `create table tool (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      type text not null check (type in ('http', 'automation')),
      name text not null,
      description text not null,
      endpoint text not null,
      method text not null,
      body_format text not null,
      timeout {{bigint}} not null,
      headers {{json}} not null,
      static_fields {{json}} not null,
      schema {{json}} not null,
      automation_id text,
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null
    ) {{strict}}`,
    'create index tool_account on tool (account_id, id)',

    `create table phone_number (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      phone_number text not null,
      country_code text not null,
      region text,
      type text not null check (type in ('normal', 'sip', 'caller_id')),
      sms_capable {{bigint}} not null check (sms_capable in (0, 1)),
      nickname text,
      created_at {{bigint}} not null
    ) {{strict}}`,
    'create unique index phone_number_once on phone_number (phone_number)',
    'create index phone_number_account on phone_number (account_id, id)',

    `create table subscription (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      number_id {{bigint}} not null references phone_number (id),
      status text not null,
      price {{bigint}} not null check (price >= 0),
      price_id text not null,
      anchor {{bigint}} not null check (anchor between 1 and 31),
      period_start {{bigint}} not null,
      period_end {{bigint}} not null
    ) {{strict}}`,
    'create index subscription_account on subscription (account_id, id)',
    'create index subscription_number on subscription (number_id)',

    `create table purchase (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      phone_number text not null,
      state text not null,
      idempotency_key text,
      country_code text not null,
      region text,
      sms_capable {{bigint}} not null check (sms_capable in (0, 1)),
      price {{bigint}} not null check (price >= 0),
      price_id text not null,
      charge_id text,
      order_sid text,
      number_id {{bigint}},
      failure text,
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null
    ) {{strict}}`,
    'create index purchase_account on purchase (account_id, id)',
    'create index purchase_number on purchase (number_id)',
    'create unique index purchase_key on purchase (account_id, idempotency_key) where idempotency_key is not null',
    "create unique index purchase_live on purchase (phone_number) where state in ('reserved', 'paid', 'provisioned', 'owned', 'refunding')",

    `create table ledger (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      kind text not null,
      unit text not null check (unit in ('credit', 'minute', 'usd')),
      amount {{bigint}} not null,
      balance_after {{bigint}},
      reason text not null,
      reference text,
      created_at {{bigint}} not null
    ) {{strict}}`,
    'create index ledger_account on ledger (account_id, id)',
    'create unique index ledger_reference on ledger (account_id, reference) where reference is not null',

    `create table outbox (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      kind text not null,
      subject text not null,
      payload {{json}} not null,
      created_at {{bigint}} not null,
      handled_at {{bigint}}
    ) {{strict}}`,
    'create index outbox_unhandled on outbox (id) where handled_at is null',
    'create index outbox_account on outbox (account_id, id)',

    `create table due (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      kind text not null,
      subject text not null,
      due_at {{bigint}} not null,
      attempts {{bigint}} not null check (attempts >= 0),
      lease_until {{bigint}} not null,
      lease_owner text
    ) {{strict}}`,
    'create index due_at on due (due_at, id)',
    'create index due_subject on due (kind, subject)',
    'create index due_account on due (account_id)',

    `create table idempotency (
      account_id {{bigint}} not null references account (id),
      key text not null,
      request text not null,
      status {{bigint}},
      body text,
      created_at {{bigint}} not null,
      primary key (account_id, key)
    ) {{strict}}`,
    'create index idempotency_created on idempotency (created_at)',

    `create table request_limit (
      account_id {{bigint}} not null references account (id),
      name text not null,
      window_start {{bigint}} not null,
      used {{bigint}} not null check (used >= 0),
      primary key (account_id, name)
    ) {{strict}}`,

    `create table local_order (
      key text primary key not null,
      phone_number text not null,
      sid text,
      failure text,
      released {{bigint}} not null check (released in (0, 1))
    ) {{strict}}`,
    'create index local_order_number on local_order (phone_number)',

    `create table local_charge (
      key text primary key not null,
      charge_id text,
      method text not null,
      amount {{bigint}} not null,
      about text not null,
      failure text,
      refunded {{bigint}} not null check (refunded in (0, 1))
    ) {{strict}}`,
    'create unique index local_charge_id on local_charge (charge_id) where charge_id is not null',
  ],
}
