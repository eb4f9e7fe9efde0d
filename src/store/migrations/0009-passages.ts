import type { Migration } from '../connection.ts'

/** What the documents of knowledge bases say, and why one could not be read. */
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
    'create index knowledge_passage_document on knowledge_passage (document_id, position)',
  ],
}
