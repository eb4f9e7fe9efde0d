import { day, type Micros } from '../../jobs/clock.ts'
import { formatSecret } from '../../jobs/webhook-signature.ts'
import type { Query } from '../../store/database/connection.ts'
import { findWebhookSecret, saveWebhookSecret, type WebhookSecretRow } from '../../store/deliveries/webhook-secrets.ts'
import type { Deps } from '../runtime/deps.ts'

/** How long the secret before is signed with too, so that receivers can change it without losing a message. */
const rotationOverlap: Micros = day

const secretLabel = (account: number): string => `webhook secret ${account}`

/** What webhooks of an account are signed with: the one of now, and for a day the one before. */
export interface WebhookSecrets {
  readonly current: string
  readonly previous: string | null
  readonly previousUntil: Micros | null
  readonly since: Micros
}

/** Secrets that webhooks are signed with, one an account, made when first needed. */
export function webhookSecrets({ vault, secret }: Pick<Deps, 'vault' | 'secret'>) {
  const unseal = (row: WebhookSecretRow, now: Micros): WebhookSecrets => {
    const isPreviousExpired = row.previous === null || (row.previous_until ?? 0) <= now
    return {
      current: vault.open(row.secret, secretLabel(row.account_id)),
      previous: isPreviousExpired ? null : vault.open(row.previous as string, secretLabel(row.account_id)),
      previousUntil: isPreviousExpired ? null : row.previous_until,
      since: row.created_at,
    }
  }

  async function createSecret(
    query: Query,
    account: number,
    before: WebhookSecretRow | undefined,
    now: Micros,
  ): Promise<WebhookSecretRow> {
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
    /** In the caller's transaction. @throws VaultError */
    async getOrCreate(query: Query, account: number, now: Micros): Promise<WebhookSecrets> {
      return unseal(
        (await findWebhookSecret(query, account)) ?? (await createSecret(query, account, undefined, now)),
        now,
      )
    },

    /** A new one; what was signed with the one before is still believed for a day. */
    async rotate(query: Query, account: number, now: Micros): Promise<WebhookSecrets> {
      const before = (await findWebhookSecret(query, account)) ?? (await createSecret(query, account, undefined, now))
      return unseal(await createSecret(query, account, before, now), now)
    },
  }
}
