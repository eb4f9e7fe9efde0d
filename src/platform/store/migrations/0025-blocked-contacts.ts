import { sql } from 'kysely'
import type { Migration, OnlineStatement, PlatformQuery } from '../database/connection.ts'

/** Indexes of sends that have no outcome yet, by recipient. They are small, because a send has its outcome after a moment. */
const indexes: readonly (readonly [name: string, table: string, columns: string, condition: string])[] = [
  ['channel_message_sending', 'channel_message', 'account_id, recipient_phone', "state = 'sending'"],
  ['sms_message_sending', 'sms_message', 'account_id, recipient', "state = 'sending'"],
  ['phone_call_dialling', 'phone_call', 'account_id, client_phone_number', "state = 'dialling'"],
]

const createIndex = ([name, table, columns, condition]: (typeof indexes)[number], how: '' | ' concurrently'): string =>
  `create index${how} ${name} on ${table} (${columns}) where ${condition}`

/**
 * Phone numbers that an account must not contact, its words to opt out, and when a send was handed over to its provider, in milliseconds of the wall
 * time. PostgreSQL builds the indexes while other servers use the tables.
 */
export const blockedContacts: Migration = {
  version: 25,
  name: 'blocked-contacts',
  online: findMissingIndexes,
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
    ...indexes.map((index) => ({ sqlite: createIndex(index, '') })),
  ],
}

/** Returns what is missing, from the catalog. A build that was interrupted leaves an invalid index, which is removed first. */
async function findMissingIndexes(query: PlatformQuery): Promise<readonly OnlineStatement[]> {
  const { rows } = await sql<{ name: string; is_valid: boolean }>`
    select c.relname as name, i.indisvalid as is_valid from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = current_schema()::regnamespace and c.relname = any(${indexes.map(([name]) => name)}::text[])`.execute(
    query,
  )
  const known = new Map(rows.map(({ name, is_valid }) => [name, is_valid]))
  return indexes.flatMap((index) => {
    const [name] = index
    if (known.get(name) === true) return []
    return [
      ...(known.has(name) ? [{ sql: `drop index concurrently if exists ${name}`, isBlocking: false }] : []),
      { sql: createIndex(index, ' concurrently'), isBlocking: false },
    ]
  })
}
