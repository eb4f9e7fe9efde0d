import type { Migration } from '../database/connection.ts'

/** When everything that an account does on its own was stopped; null while it is not. */
export const accountStop: Migration = {
  version: 26,
  name: 'account-stop',
  up: ['alter table account add column stopped_at {{bigint}}'],
}
