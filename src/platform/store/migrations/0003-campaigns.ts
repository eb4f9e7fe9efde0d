// Released with 0.1.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.
// That includes what countedSchema returns: test/upgrade compares a database of 0.1.0 with a new one.

import { countedSchema, leadList } from '../counters/counted-lists.ts'
import type { Migration } from '../database/connection.ts'

/** Campaigns and their leads. */
export const campaigns: Migration = {
  version: 3,
  name: 'campaigns',
  up: [
    `create table campaign (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      name text not null,
      channel text not null check (channel in ('call', 'messaging', 'sms')),
      status text not null,
      assistant_id {{bigint}},
      sms_number_id {{bigint}},
      fallback_number_id {{bigint}},
      settings {{json}} not null,
      starts_at {{bigint}},
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null,
      deleted_at {{bigint}}
    ) {{strict}}`,
    'create index campaign_account on campaign (account_id, id)',
    "create index campaign_working on campaign (status, starts_at, id) where status in ('scheduled', 'in-progress')",

    `create table campaign_number (
      account_id {{bigint}} not null references account (id),
      campaign_id {{bigint}} not null references campaign (id),
      number_id {{bigint}} not null,
      position {{bigint}} not null,
      primary key (campaign_id, number_id)
    ) {{strict}}`,
    'create index campaign_number_account on campaign_number (account_id, number_id)',

    `create table lead (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      campaign_id {{bigint}} not null references campaign (id),
      phone_number text {{ascii}} not null,
      variables {{json}} not null,
      status text not null,
      contacts {{bigint}} not null check (contacts >= 0),
      attempts {{bigint}} not null check (attempts >= 0),
      next_attempt_at {{bigint}},
      last_attempt_at {{bigint}},
      fallback_sent_at {{bigint}},
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null
    ) {{strict}}`,
    'create index lead_phone on lead (account_id, phone_number, campaign_id)',
    'create index lead_due on lead (campaign_id, next_attempt_at, id)',
    ...countedSchema(leadList),

    `create table lead_contact (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      lead_id {{bigint}} not null references lead (id),
      phone_number text not null,
      variables {{json}} not null,
      status text not null,
      attempts {{bigint}} not null check (attempts >= 0),
      last_attempt_at {{bigint}},
      created_at {{bigint}} not null,
      updated_at {{bigint}} not null
    ) {{strict}}`,
    'create index lead_contact_lead on lead_contact (lead_id, id)',
    'create index lead_contact_account on lead_contact (account_id)',
  ],
}
