/**
 * The statements of the platform that may reach several shards, or whose rows Citus may collect on its coordinator: each belongs to a
 * use that is about all accounts, about one that is not known yet, or about many rows. Any other request about an account has none.
 */
const uses: Readonly<Record<string, readonly RegExp[]>> = {
  'jobs that are due, and their leases': [/^(?:select .* from|update) "due" /],
  'deliveries that a server has begun, and their list for the operator': [
    /^select \* from "delivery" where (?:"id" in|"status" =) /,
    /^update "delivery" set "lease/,
  ],
  'purge of what is old': [/^delete from account_commit where created_at < /],
  'server check, and counting again': [
    /^select account_id as account, count\(\*\) as n from \( select account_id from /,
    /^select count\(\*\) as n from \( select kind, name from /,
    /^select a\.id as account, a\.balance as balance, /,
    /^delete from "(?:lead|conversation)_count"$/,
    /^insert into (?:lead_count|conversation_count|account_name) /,
  ],
  'numbers of rows for the status and metrics': [/^select count\(\*\) as "?n"? from "\w+"$/],
  'accounts, for the operator': [/^select \* from "account" order by "id"$/],
  'what jobs are about, for the operator': [
    /^select "subscription"\."id", "phone_number", "price" from "subscription" /,
    /^select "id", "(?:phone_number|uuid|name)" from "(?:phone_number|conversation|campaign)" where "id" in /,
  ],
  'events, deliveries and the timeline, for the operator': [
    /^select \* from "(?:outbox|delivery)" order by "id" desc limit /,
    /^select r\.(?:id|number) as "order", r\.account_id as account, /,
    /^select r\.created_at as at, r\.(?:id|number) as "order"/,
  ],
  'figures of the overview, for the operator': [
    /^select cast\(\(created_at - \d+\) \/ \d+ as integer\) as hour, /,
    /^select "phone_number"\."id", "phone_number", "price", "period_end" as "at" from "subscription" /,
  ],
  'ids that earlier versions have made': [
    /^select \* from "conversation" where "uuid" = \$1$/,
    /^select "account"\.\* from "account" inner join "conversation" .* where "conversation"\."uuid" = \$1$/,
    /^select \* from "automation_wait" where "id" = \$1$/,
  ],
  'ids of a platform with a seed, which derive from its rows': [
    /^select "id" from "automation(?:_version|_run)?" where "id" = \$1$/,
  ],
  'filling a platform': [/^select setval\(pg_get_serial_sequence\(\$1, \$2\), max\(/],
  'the first start of a data folder on a database': [
    /^select \* from "api_key" where "hash" = \$1$/,
    /^select \w+ as text from \w+ where \w+ like '[^']*v1\.%' limit 1$/,
    /^select id from api_key where hash = \$1$/,
  ],
  'a name whose account has lost its row': [/^select 1 from "\w+" where "\w+" = \$1 and .* limit 1$/],
  'an upgrade of the schema': [
    /^select create_(?:reference|distributed)_table\(/,
    /^select 1 from "\w+" limit 1$/,
    /^insert into (?:later|last) \(account_id, /,
  ],
  'many rows at once, which Citus collects on the coordinator': [/^insert into "\w+" \(.*\) select (?:shared|own)\."/],
  'a copy of all rows to another database': [
    /^select 1 as found from "\w+" limit 1$/,
    /^select max\("\w+"\) as last from "\w+"$/,
    /^select "[^()]* from "\w+" (?:where \([^)]*\) > \([^)]*\) )?order by .* limit \d+$/,
    /^delete from "\w+"$/,
    /^insert into "\w+" \(.*\) select .* from json_populate_recordset\(null::"\w+", \$1::json\)$/,
  ],
}

const patterns = Object.values(uses).flat()

/** Returns whether a statement may reach several shards. One that names its account may not. */
export function isUseAcrossAccounts(statement: string): boolean {
  const text = statement.replace(/\s+/g, ' ').trim()
  return !/\baccount_id"? = \$/.test(text) && patterns.some((it) => it.test(text))
}
