// Released with 0.1.0: never change it, because databases have it. `Statement` of connection.ts explains {{ }}.

import type { Migration } from '../database/connection.ts'

/**
 * Passages of documents of knowledge bases, reasons of failed documents, and regular polls of the messaging channel for
 * accounts with senders.
 */
export const passages: Migration = {
  version: 9,
  name: 'passages',
  up: [
    'alter table knowledge_document add column failure text',
    `create table knowledge_passage (
      id {{pk}},
      account_id {{bigint}} not null references account (id),
      knowledge_base_id {{bigint}} not null,
      document_id {{bigint}} not null,
      position {{bigint}} not null,
      address text not null,
      title text,
      text text not null,
      folded text not null
    ) {{strict}}`,
    'create index knowledge_passage_base on knowledge_passage (account_id, knowledge_base_id, position)',
    `insert into due (account_id, kind, subject, due_at, attempts, lease_until)
      select account_id, kind, cast(account_id as text), max(created_at), 0, 0
      from sender, (select 'senders.sync' as kind union all select 'templates.sync' as kind) as looks
      where not exists (select 1 from due where due.kind = looks.kind and due.account_id = sender.account_id)
      group by account_id, kind`,
    'create index knowledge_passage_document on knowledge_passage (document_id, position)',
  ],
}
