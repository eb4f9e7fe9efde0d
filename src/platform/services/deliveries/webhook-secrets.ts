import { day, type Micros } from '../../../contract/values/micros.ts'
import { formatSecret } from '../../../node/webhook-signature.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { findWebhookSecret, saveWebhookSecret, type WebhookSecretRow } from '../../store/deliveries/deliveries.ts'
import type { Deps } from '../runtime/deps.ts'

/**
 * How long the previous secret remains valid after a rotation, so that receivers can change it without losing a
 * message.
 */
const rotationOverlap: Micros = day

/** Returns the vault label of the webhook secret of an account. Stored values open only with it, so it never changes. */
const secretLabel = (account: number): string => `webhook secret ${account}`

/** The signing secrets of an account's webhooks: the current one, and for a day the previous one. */
export interface WebhookSecrets {
  readonly current: string
  readonly previous: string | null
  readonly previousUntil: Micros | null
  readonly since: Micros
}

/** Manages the secrets that sign webhooks. Each account has one, created on first use. */
export function webhookSecrets({ vault, secret }: Pick<Deps, 'vault' | 'secret'>) {
  const unseal = (row: WebhookSecretRow, now: Micros): WebhookSecrets => {
    const isPreviousExpired = row.previous === null || (row.previous_until ?? 0) <= now
    return {
      current: vault.open(row.secret, secretLabel(row.account_id)),
      previous:
        isPreviousExpired || row.previous === null ? null : vault.open(row.previous, secretLabel(row.account_id)),
      previousUntil: isPreviousExpired ? null : row.previous_until,
      since: row.created_at,
    }
  }

  async function createSecret(
    query: AccountQuery,
    account: number,
    before: WebhookSecretRow | undefined,
    now: Micros,
  ): Promise<WebhookSecretRow> {
    // With a seed the secret follows from this label: it never changes.
    const letters = secret(`webhook ${account}${before ? ` ${now}` : ''}`, 32)
    const row = {
      account_id: account,
      secret: vault.seal(formatSecret(letters), secretLabel(account)),
      previous: before?.secret ?? null,
      previous_until: before ? now + rotationOverlap : null,
      created_at: now,
    }
    await saveWebhookSecret(query, row)
    return row
  }

  return {
    /**
     * Returns the secrets of an account, creating them if necessary, in the caller's transaction. @throws VaultError
     */
    async getOrCreate(query: AccountQuery, account: number, now: Micros): Promise<WebhookSecrets> {
      return unseal(
        (await findWebhookSecret(accountQuery(query, account))) ?? (await createSecret(query, account, undefined, now)),
        now,
      )
    },

    /** Creates a new secret. The previous one remains valid for a day. */
    async rotate(query: AccountQuery, account: number, now: Micros): Promise<WebhookSecrets> {
      const before =
        (await findWebhookSecret(accountQuery(query, account))) ?? (await createSecret(query, account, undefined, now))
      return unseal(await createSecret(query, account, before, now), now)
    },
  }
}
