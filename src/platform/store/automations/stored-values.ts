import type { AccountQuery } from '../database/connection.ts'

/** Returns a stored value as JSON; undefined if it does not exist. */
export async function readAutomationValue(
  query: AccountQuery,
  owner: string,
  key: string,
): Promise<string | undefined> {
  const row = await query
    .selectFrom('automation_value')
    .select('value')
    .where('account_id', '=', query.account)
    .where('owner', '=', owner)
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.value
}

/** Stores a value as JSON; undefined deletes it. */
export async function writeAutomationValue(
  query: AccountQuery,
  owner: string,
  key: string,
  value: string | undefined,
): Promise<void> {
  if (value === undefined)
    await query
      .deleteFrom('automation_value')
      .where('account_id', '=', query.account)
      .where('owner', '=', owner)
      .where('key', '=', key)
      .execute()
  else
    await query
      .insertInto('automation_value')
      .values({ account_id: query.account, owner, key, value })
      .onConflict((it) => it.columns(['account_id', 'owner', 'key']).doUpdateSet({ value }))
      .execute()
}

/**
 * Deletes the values of a range of owners, excluding the end. webhook-files.ts deletes old files with it: their owners are in the
 * order of days.
 */
export async function deleteValuesInRange(query: AccountQuery, from: string, to: string): Promise<void> {
  await query
    .deleteFrom('automation_value')
    .where('account_id', '=', query.account)
    .where('owner', '>=', from)
    .where('owner', '<', to)
    .execute()
}

/** Returns the owner of the values of a run or an automation. Stored rows have it, so it never changes. */
export const valuesOwner = (kind: 'run' | 'automation', id: string): string => `${kind}:${id}`

/** Deletes the values of runs. */
export async function deleteValuesOfRuns(query: AccountQuery, runs: readonly { readonly id: string }[]): Promise<void> {
  if (runs.length === 0) return
  await query
    .deleteFrom('automation_value')
    .where('account_id', '=', query.account)
    .where(
      'owner',
      'in',
      runs.map((it) => valuesOwner('run', it.id)),
    )
    .execute()
}
