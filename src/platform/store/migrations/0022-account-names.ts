// Once a release has it (releases.ts), it never changes: databases of that release have run it. `Statement` of connection.ts
// explains {{ }}.

import type { Migration } from '../database/connection.ts'

/** Which account has a name that is unique over all accounts. */
export const accountNames: Migration = {
  version: 22,
  name: 'account-names',
  up: [
    `create table account_name (
      kind text not null,
      name text not null,
      account {{bigint}} not null,
      primary key (kind, name)
    ) {{clustered}}`,
    'create index account_name_account on account_name (account)',
    `insert into account_name (kind, name, account)
      select 'api_key', hash, account_id from api_key
      union all select 'phone_number', phone_number, account_id from phone_number where type <> 'sip'
      union all select 'purchase', phone_number, account_id from purchase
        where state in ('reserved', 'paid', 'provisioned', 'owned', 'refunding')
      union all select 'automation', id, account_id from automation
      union all select 'assistant', uuid, account_id from assistant`,
  ],
}
