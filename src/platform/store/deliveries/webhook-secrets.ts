import type { Selectable } from 'kysely'
import type { Query } from '../database/connection.ts'
import type { WebhookSecretTable } from './tables.ts'

export type WebhookSecretRow = Selectable<WebhookSecretTable>

/** Returns the signing secret of an account. */
export const findWebhookSecret = (query: Query, account: number): Promise<WebhookSecretRow | undefined> =>
  query.selectFrom('webhook_secret').selectAll().where('account_id', '=', account).executeTakeFirst()

/** Stores the signing secret for the webhooks of an account. */
export async function saveWebhookSecret(query: Query, row: WebhookSecretRow): Promise<void> {
  await query
    .insertInto('webhook_secret')
    .values(row)
    .onConflict((it) => it.column('account_id').doUpdateSet(row))
    .execute()
}
