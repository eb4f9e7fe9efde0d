import type { Query } from '../database/connection.ts'

/** Returns the URL that receives the failed runs of an account. */
export async function findRunWebhook(query: Query, account: number): Promise<string | undefined> {
  return (
    await query.selectFrom('automation_webhook').select('url').where('account_id', '=', account).executeTakeFirst()
  )?.url
}

/** Sets the URL that receives the failed runs of an account; null removes it. */
export async function setRunWebhook(query: Query, account: number, url: string | null): Promise<void> {
  await query.deleteFrom('automation_webhook').where('account_id', '=', account).execute()
  if (url !== null) await query.insertInto('automation_webhook').values({ account_id: account, url }).execute()
}
