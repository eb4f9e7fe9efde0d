import { type Delivery, deliveries } from '../../../contract/control/deliveries.ts'
import { Failure, invalidField } from '../../../contract/errors/failures.ts'
import { parseJson } from '../../../node/json.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import { deliveryAttempts } from '../../services/deliveries/delivery-attempts.ts'
import { deliveryTargets } from '../../services/deliveries/delivery-targets.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import {
  type DeliveryFilters,
  type DeliveryRow,
  findDeliveries,
  findScheduledDeliveries,
  listAttempts,
  listDeliveries,
  listDeliveryIds,
} from '../../store/deliveries/deliveries.ts'
import { parseTimeOrAge } from './durations.ts'

/** Deliveries queued for resending in one transaction. */
const batch = 500

interface DeliverySelection {
  readonly account?: number | undefined
  readonly event?: Delivery['event'] | undefined
  readonly failed?: boolean | undefined
  readonly since?: string | undefined
}

/** Returns the endpoints of the resource with their handlers. */
export const deliveryResource = (deps: Deps): LoadedResource => loadedResource(deliveries, deliveryHandlers(deps))

/** Creates the handlers of the control API for deliveries. */
function deliveryHandlers(deps: Deps): HandlersOf<typeof deliveries> {
  const { connection, clock } = deps
  const targets = deliveryTargets(deps)
  const filtersOf = async ({ account, event, failed, since }: DeliverySelection): Promise<DeliveryFilters> => ({
    account,
    event,
    ...(failed && { status: 'failed' as const }),
    ...(since !== undefined && { since: parseTimeOrAge(since, await clock.now()) }),
  })
  /** Returns the deliveries whose webhook is enabled, and the number of the others. */
  async function withWebhook(ids: readonly number[]): Promise<{ ids: readonly number[]; disabled: number }> {
    const slotCache = new Map()
    const enabled: number[] = []
    let disabled = 0
    for (const row of await findDeliveries(connection.read, ids)) {
      if (isRequest(row) || (await targets.currentUrl(row, slotCache)) !== undefined) enabled.push(row.id)
      else disabled++
    }
    return { ids: enabled, disabled }
  }

  async function toWire(rows: readonly DeliveryRow[]): Promise<Delivery[]> {
    const pending = rows.flatMap(({ id, status }) => (status === 'pending' ? [id] : []))
    const scheduled = await findScheduledDeliveries(connection.read, pending)
    return rows.map((row) => toDelivery(row, scheduled.has(row.id)))
  }

  return {
    async list({ limit, status, ...chosen }) {
      const filters = await filtersOf(chosen)
      const rows = await listDeliveries(connection.read, { ...filters, ...(status && { status }) }, limit)
      return { data: await toWire(rows) }
    },

    async show({ id }) {
      const [row] = await findDeliveries(connection.read, [id])
      if (!row) throw new Failure('deliveries.not_found')
      const tries = await listAttempts(accountQuery(connection.read, row.account_id), id)
      const attempts = tries.map(({ number, at, status, error, answer, ms }) => ({
        number,
        at: toIsoMicros(at),
        status,
        error,
        answer,
        ms,
      }))
      const replay_url = isRequest(row) ? row.url : ((await targets.currentUrl(row)) ?? null)
      const [shown] = await toWire([row])
      return { data: { ...(shown as Delivery), payload: parseJson(row.payload), replay_url, tries: attempts } }
    },

    async replay({ id, url, payload, headers, ...chosen }) {
      const { replay } = deliveryAttempts(deps)
      const isCopy = url !== undefined || payload !== undefined || headers !== undefined
      if (id !== undefined) {
        const [row] = await findDeliveries(connection.read, [id])
        if (!row) throw new Failure('deliveries.not_found')
        // A copy has no event that a receiver subscribes to, so a replay of it is another copy.
        if (isCopy || (isRequest(row) && row.event !== 'inbound'))
          return copyResponse(id, await (await deps.events()).sendCopy(row, { url, payload, headers }))
        if (!isRequest(row) && (await targets.currentUrl(row)) === undefined)
          throw new Failure('deliveries.webhook_disabled')
        return replayResponse(await replay([id]))
      }
      if (isCopy) throw invalidField('id', 'The url, payload and headers fields need the id of a delivery.')
      if (!chosen.failed && chosen.since === undefined)
        throw invalidField('id', 'One of id, failed and since is required.')
      const filters = await filtersOf(chosen)
      let count = 0
      let disabled = 0
      let last = 0
      for (;;) {
        const ids = await listDeliveryIds(connection.read, filters, last, batch)
        if (ids.length === 0) return replayResponse(count, disabled)
        const enabled = await withWebhook(ids)
        disabled += enabled.disabled
        count += await replay(enabled.ids)
        last = ids.at(-1) as number
      }
    },
  }
}

const copyResponse = (id: number, copy: DeliveryRow): { message: string; count: number; copy: number } => ({
  message:
    copy.status === 'delivered'
      ? `Delivery ${id} was sent as delivery ${copy.id}.`
      : `Delivery ${id} was sent as delivery ${copy.id}, which failed: ${copy.last_error}`,
  count: 1,
  copy: copy.id,
})

/** Returns whether a delivery is a request or a copy, which has no event that a webhook receives. */
const isRequest = ({ outbox_id }: DeliveryRow): boolean => outbox_id === null

const replayResponse = (count: number, disabled = 0): { message: string; count: number; disabled?: number } => ({
  message: `Deliveries queued for resending: ${count}.${
    disabled > 0 ? ` Not queued because their webhook is disabled: ${disabled}.` : ''
  }`,
  count,
  ...(disabled > 0 && { disabled }),
})

const toDelivery = (
  {
    outbox_id: _,
    lane: __,
    payload: ___,
    tries_left,
    next_attempt_at,
    created_at,
    finished_at,
    event,
    ...row
  }: DeliveryRow,
  isScheduled: boolean,
): Delivery => ({
  ...row,
  event: event as Delivery['event'],
  attempts_left: row.status === 'pending' ? tries_left : 0,
  next_attempt_at: next_attempt_at === null || !isScheduled ? null : toIsoMicros(next_attempt_at),
  created_at: toIsoMicros(created_at),
  finished_at: finished_at === null ? null : toIsoMicros(finished_at),
})
