import { addMonths, day } from '../events/clock.ts'
import { schedule, unschedule } from '../events/due.ts'
import { findAccount } from '../store/accounts.ts'
import { findSubscription, moveSubscription, type SubscriptionRow } from '../store/numbers.ts'
import { appendEvent } from '../store/outbox.ts'
import type { Deps } from './deps.ts'
import { bookCard } from './ledger.ts'

/** A period that could not be paid is tried again daily this often; then the number is released. */
const graceDays = 3

/** Monthly subscriptions of numbers (section 4.5, rule 2), renewed by due work. */
export function subscriptionService({ connection, clock, providers }: Deps) {
  const work = 'subscription'

  async function declined(subscription: SubscriptionRow): Promise<void> {
    await connection.write(async (query) => {
      const now = await clock.now(query)
      // The first refusal only tells: whoever was away when the period ended can still mend it.
      const late = subscription.status === 'past_due' && now - subscription.period_end >= graceDays * day
      if (!(await moveSubscription(query, subscription, { status: late ? 'ending' : 'past_due' }))) return
      await unschedule(query, work, String(subscription.id))
      const next = late
        ? { kind: 'release', subject: String(subscription.number_id), at: now }
        : { kind: work, subject: String(subscription.id), at: now + day }
      await schedule(query, { account: subscription.account_id, ...next })
      await appendEvent(query, {
        account: subscription.account_id,
        kind: 'subscription.payment_failed',
        subject: String(subscription.id),
        payload: { number_id: subscription.number_id },
        now,
      })
    })
  }

  return {
    /** Charges the next month and moves the renewal date on; a decline makes it past due. `attempt` is the due row's id: one row is one try at the payment processor, however often its process dies. `begun`: an earlier process may have charged, so that a number released meanwhile gets its money back. */
    async renew(id: number, attempt: number, begun = false): Promise<void> {
      const subscription = await findSubscription(connection.read, id)
      const isOver = !subscription || !['active', 'past_due'].includes(subscription.status)
      if (!subscription || (isOver && !begun)) {
        await connection.write((query) => unschedule(query, work, String(id)))
        return
      }
      const account = await findAccount(connection.read, subscription.account_id)
      const key = `subscription-${id}-${subscription.period_end}`
      const about = `Renewal of number ${subscription.number_id}`
      const paid = await providers.payments.charge(`${key}-try-${attempt}`, {
        method: account?.payment_method ?? '',
        amount: subscription.price,
        about,
      })
      if (!paid.ok && !isOver) return declined(subscription)
      const renewed =
        !isOver &&
        (await connection.write(async (query) => {
          const now = await clock.now(query)
          const end = addMonths(subscription.period_end, 1, subscription.anchor)
          if (!(await moveSubscription(query, subscription, { status: 'active', period_start: subscription.period_end, period_end: end }))) return false
          await bookCard(query, subscription.account_id, -subscription.price, { reason: about, reference: key, now })
          await unschedule(query, work, String(id))
          await schedule(query, { account: subscription.account_id, kind: work, subject: String(id), at: end })
          return true
        }))
      if (renewed) return
      // Another process renewed it, or its owner let the number go while we charged: then nobody gets the month that was paid.
      const current = await findSubscription(connection.read, id)
      if (current && current.period_end !== subscription.period_end) return
      if (paid.ok) await providers.payments.refund(`${key}-refund`, paid.chargeId)
      await connection.write((query) => unschedule(query, work, String(id)))
    },
  }
}
