import { isSlotEvent } from '../../../contract/automations/automation-records.ts'
import { type Micros, minute } from '../../../contract/values/micros.ts'
import { senderSignature, signHeaders } from '../../../node/webhook-signature.ts'
import { findSlot, type SlotRow } from '../../store/assistants/event-slots.ts'
import { findRunWebhook } from '../../store/automations/runs.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { type DeliveryRow, findWebhookSecret } from '../../store/deliveries/deliveries.ts'
import { findSenderWebhook } from '../../store/messaging/senders.ts'
import type { Deps } from '../runtime/deps.ts'
import { messageStatusEvent, runFailedEvent } from './event-publisher.ts'
import { webhookSecrets } from './webhook-secrets.ts'

/** Returns the headers of an attempt, for its body and the wall time in seconds. */
type SignHeaders = (body: string, seconds: number) => Record<string, string>

/** Lookups of event slots that several deliveries share. */
type SlotCache = Map<string, Promise<SlotRow | undefined>>

/** Returns the vault label of the webhook secret of a sender. Stored values open only with it, so it never changes. */
export const senderSecretLabel = (sender: number): string => `sender webhook ${sender}`

/** Resolves the URL and the signature headers of a delivery at the time of an attempt. */
export function deliveryTargets(deps: Deps) {
  const { connection, clock, vault } = deps
  const secrets = webhookSecrets(deps)
  /** Cache of opened secrets by account: opening a sealed secret takes as long as sending. */
  const secretCache = new Map<
    number,
    { readonly of: string; readonly all: readonly string[]; readonly until: Micros }
  >()

  async function findSecrets(account: number): Promise<readonly string[]> {
    const now = await clock.now()
    const row = await connection.cachedRead(`webhook secret ${account}`, () =>
      findWebhookSecret(accountQuery(connection.read, account)),
    )
    const known = secretCache.get(account)
    if (row && known?.of === row.secret && now < known.until) return known.all
    const found = await connection.write({ account }, (query) => secrets.getOrCreate(query, account, now))
    const all = found.previous === null ? [found.current] : [found.current, found.previous]
    if (row) secretCache.set(account, { of: row.secret, all, until: found.previousUntil ?? now + 60 * minute })
    return all
  }

  async function createSigner(row: Pick<DeliveryRow, 'account_id' | 'message_id'>): Promise<SignHeaders> {
    const all = await findSecrets(row.account_id)
    return (body, seconds) => signHeaders(all, row.message_id, seconds, body)
  }

  /** Returns the URL of the webhook of an event other than a message status; undefined if it is disabled. */
  async function findEventUrl(row: DeliveryRow, slotCache: SlotCache): Promise<string | undefined> {
    if (row.event === runFailedEvent) return findRunWebhook(accountQuery(connection.read, row.account_id))
    if (!isSlotEvent(row.event)) return undefined
    const key = `${row.assistant_id} ${row.event}`
    const slotLookup =
      slotCache.get(key) ?? findSlot(accountQuery(connection.read, row.account_id), row.assistant_id ?? 0, row.event)
    slotCache.set(key, slotLookup)
    const slot = await slotLookup
    return slot?.holder === 'webhook' ? slot.target : undefined
  }

  return {
    signing: createSigner,

    /** Returns the URL that a delivery would be sent to now; undefined when its webhook is disabled. */
    async currentUrl(row: DeliveryRow, slotCache: SlotCache = new Map()): Promise<string | undefined> {
      if (row.event !== messageStatusEvent) return findEventUrl(row, slotCache)
      return (
        (await findSenderWebhook(accountQuery(connection.read, row.account_id), row.sender_id ?? 0))?.webhook_url ??
        undefined
      )
    },

    /**
     * Returns the URL and headers of a delivery; undefined when the webhook was switched off since. `slotCache` shares
     * the lookup of event slots between several deliveries.
     */
    async resolve(
      row: DeliveryRow,
      slotCache: SlotCache = new Map(),
    ): Promise<{ readonly url: string; readonly headers: SignHeaders } | undefined> {
      const headers = await createSigner(row)
      if (row.event !== messageStatusEvent) {
        const url = await findEventUrl(row, slotCache)
        return url === undefined ? undefined : { url, headers }
      }
      const id = row.sender_id ?? 0
      const sender = await findSenderWebhook(accountQuery(connection.read, row.account_id), id)
      if (!sender || sender.webhook_url === null) return undefined
      const own = sender.webhook_secret === null ? undefined : vault.open(sender.webhook_secret, senderSecretLabel(id))
      return {
        url: sender.webhook_url,
        headers: (body, seconds) => ({
          ...headers(body, seconds),
          ...(own !== undefined && { 'x-signature-256': senderSignature(own, body) }),
        }),
      }
    },
  }
}
