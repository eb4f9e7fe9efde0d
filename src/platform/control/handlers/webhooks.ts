import { webhooks } from '../../../contract/control/webhooks.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import { senderSecretLabel } from '../../services/deliveries/delivery-targets.ts'
import { type WebhookSecrets, webhookSecrets } from '../../services/deliveries/webhook-secrets.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { setRunWebhook } from '../../store/automations/runs.ts'
import { findSender, updateSender } from '../../store/messaging/senders.ts'
import { requireAccount } from './require-account.ts'

/** Returns the endpoints of the resource with their handlers. */
export const webhookResource = (deps: Deps): LoadedResource => loadedResource(webhooks, webhookHandlers(deps))

/** Creates the handlers of the control API for webhooks. */
function webhookHandlers(deps: Deps): HandlersOf<typeof webhooks> {
  const { connection, clock, vault, secret } = deps
  const secrets = webhookSecrets(deps)
  return {
    secret: ({ account }) =>
      connection.write({ account }, async (query) => {
        await requireAccount(query, account)
        return toWire(await secrets.getOrCreate(query, account, await clock.now(query)))
      }),

    rotate: ({ account }) =>
      connection.write({ account }, async (query) => {
        await requireAccount(query, account)
        const made = await secrets.rotate(query, account, await clock.now(query))
        return { message: 'Webhook secret rotated successfully.', ...toWire(made) }
      }),

    runs: ({ account, webhook_url }) =>
      connection.write({ account }, async (query) => {
        await requireAccount(query, account)
        await setRunWebhook(query, webhook_url)
        return { message: 'Webhook of failed runs set successfully.', data: { id: account, webhook_url } }
      }),

    sender: ({ account, id, webhook_url, webhook_secret }) =>
      connection.write({ account }, async (query) => {
        await requireAccount(query, account)
        const sender = await findSender(query, id)
        if (!sender) throw new Failure('webhooks.sender_not_found')
        const about = senderSecretLabel(id)
        const stored = sender.webhook_secret === null ? undefined : vault.open(sender.webhook_secret, about)
        const own = webhook_secret ?? stored ?? secret(`sender webhook ${id}`, 40)
        await updateSender(query, id, { webhook_url, webhook_secret: vault.seal(own, about) })
        return {
          message: 'Webhook of the sender set successfully.',
          data: { id, webhook_url, webhook_secret: webhook_url === null ? null : own },
        }
      }),
  }
}

const toWire = ({ current, previousUntil, since }: WebhookSecrets) => ({
  secret: current,
  previous_until: previousUntil === null ? null : toIsoMicros(previousUntil),
  created_at: toIsoMicros(since),
})
