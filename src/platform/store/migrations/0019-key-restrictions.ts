// Once a release has it (releases.ts), it never changes: databases of that release have run it. `Statement` of connection.ts
// explains {{ }}.

import type { Migration } from '../database/connection.ts'

/**
 * Restricts API keys: scope, resources, budget and expiry. Earlier keys have none of them. Work has the restricted key that
 * started it, and `key_spending` what it costs or may cost.
 */
export const keyRestrictions: Migration = {
  version: 19,
  name: 'key-restrictions',
  up: [
    'alter table api_key add column scope text',
    'alter table api_key add column nouns text',
    'alter table api_key add column budget {{bigint}}',
    'alter table api_key add column budget_period text',
    'alter table api_key add column expires_at {{bigint}}',
    'alter table campaign add column key_id {{bigint}}',
    'alter table phone_call add column key_id {{bigint}}',
    'alter table conversation add column key_id {{bigint}}',
    'alter table automation add column key_id {{bigint}}',
    'alter table automation_run add column key_id {{bigint}}',
    'alter table subscription add column key_id {{bigint}}',
    'alter table purchase add column key_id {{bigint}}',
    `create table key_spending (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      key_id {{bigint}} not null,
      reference text not null,
      amount {{bigint}} not null,
      created_at {{bigint}} not null
    ) {{strict}}`,
    'create unique index key_spending_reference on key_spending (account_id, reference)',
    'create index key_spending_key on key_spending (account_id, key_id, created_at)',
  ],
}
