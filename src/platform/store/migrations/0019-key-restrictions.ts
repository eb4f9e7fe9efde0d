import type { Migration } from '../database/connection.ts'

/** Restricts API keys: scope, resources, budget and expiry. Earlier keys have none of them. */
export const keyRestrictions: Migration = {
  version: 19,
  name: 'key-restrictions',
  up: [
    'alter table api_key add column scope text',
    'alter table api_key add column nouns text',
    'alter table api_key add column budget {{bigint}}',
    'alter table api_key add column budget_period text',
    'alter table api_key add column expires_at {{bigint}}',
  ],
}
