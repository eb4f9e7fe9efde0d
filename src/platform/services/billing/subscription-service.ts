import { Failure } from '../../../contract/errors/failures.ts'
import { day } from '../../../contract/values/micros.ts'
import { addMonths } from '../../jobs/clock.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import {
  findSubscription,
  type SubscriptionRow,
  subscriptionJobKind,
  transitionSubscription,
} from '../../store/billing/subscriptions.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { appendEvent } from '../../store/deliveries/outbox.ts'
import { findPhoneNumber } from '../../store/numbers/numbers.ts'
import { deleteJobById, type JobRow } from '../../store/runtime/scheduled-jobs.ts'
import type { Deps } from '../runtime/deps.ts'
import { isKeyLive, payerOf, reserveSpending, settleSpending } from './key-budget.ts'
import { recordCardPayment } from './ledger.ts'

/** Days on which the payment of an overdue period is retried daily. Then the number is released. */
const graceDays = 3

/** Kind of the job that releases a number, at the end of its period or after declined payments. The subject is the number's id. Its rows have this name, so it never changes. */
export const releaseJobKind = 'release'

/** Renews the monthly subscriptions of numbers (section 4.5, rule 2) as scheduled jobs. */
export function subscriptionService({ connection, clock, providers }: Deps) {
  async function handleDecline(subscription: SubscriptionRow): Promise<void> {
    await connection.write({ account: subscription.account_id }, async (query) => {
      const now = await clock.now(query)
      // The first declined payment only notifies, so that an owner who was away when the period ended can still pay.
      const isGraceOver = subscription.status === 'past_due' && now - subscription.period_end >= graceDays * day
      if (!(await transitionSubscription(query, subscription, { status: isGraceOver ? 'ending' : 'past_due' }))) return
      await unscheduleJob(query, subscriptionJobKind, String(subscription.id))
      const next = isGraceOver
        ? { kind: releaseJobKind, subject: String(subscription.number_id), at: now }
        : { kind: subscriptionJobKind, subject: String(subscription.id), at: now + day }
      await scheduleJob(query, { account: subscription.account_id, ...next })
      await appendEvent(query, {
        account: subscription.account_id,
        kind: 'subscription.payment_failed',
        subject: String(subscription.id),
        payload: { number_id: subscription.number_id },
        now,
      })
    })
  }

  /**
   * Reserves a renewal for the key that bought the number. The account owns the number: when the key has expired or was
   * deleted, renewals continue without it. Returns false if its budget does not cover the renewal.
   */
  const reserveRenewal = (subscription: SubscriptionRow, reference: string): Promise<boolean> =>
    connection.write({ account: subscription.account_id }, async (query) => {
      const now = await clock.now(query)
      const account = await findAccount(query, subscription.account_id)
      const payer = account && payerOf(account, subscription.key_id)
      if (!payer || !(await isKeyLive(query, payer, now))) return true
      try {
        await reserveSpending(query, payer, { reference, amount: subscription.price, now })
        return true
      } catch (error) {
        if (error instanceof Failure) return false
        throw error
      }
    })

  const releaseRenewal = ({ account_id: account }: SubscriptionRow, reference: string): Promise<void> =>
    connection.write({ account }, (query) => settleSpending(query, account, reference, 0))

  return {
    /**
     * Charges the next month and advances the renewal date. A declined payment makes the subscription past due.
     *
     * One job is one attempt at the payment processor, even if its process crashes: the key of the charge contains its
     * id. A process that started the job before may have charged already; the charge is refunded if the number was
     * released since. A job that was due before the end of the current period charges nothing, because another process
     * has renewed the period that it was for.
     */
    async renew(job: Pick<JobRow, 'id' | 'account_id' | 'subject' | 'due_at' | 'attempts'>): Promise<void> {
      const id = Number(job.subject)
      const wasStarted = job.attempts > 0
      const read = accountQuery(connection.read, job.account_id)
      const subscription = await findSubscription(read, id)
      const isEnded = !subscription || !['active', 'past_due'].includes(subscription.status)
      if (!subscription || (isEnded && !wasStarted)) {
        await connection.write({ rows: job.account_id }, (query) =>
          unscheduleJob(query, subscriptionJobKind, String(id)),
        )
        return
      }
      if (job.due_at < subscription.period_end) {
        await connection.write({ rows: job.account_id }, (query) => deleteJobById(query, job.id))
        return
      }
      const account = await findAccount(connection.read, subscription.account_id)
      // The ledger has it, and the payment processor knows the charge and its refund by it: it never changes.
      const key = `subscription-${id}-${subscription.period_end}`
      const phone = await findPhoneNumber(read, subscription.number_id)
      const description = `Renewal of ${phone ?? `number ${subscription.number_id}`}`
      // A renewal that the budget of its key does not cover is like a declined payment.
      if (!isEnded && !(await reserveRenewal(subscription, key))) return handleDecline(subscription)
      const paid = await providers.payments.charge(`${key}-try-${job.id}`, {
        method: account?.payment_method ?? '',
        amount: subscription.price,
        about: description,
      })
      if (!paid.ok) await releaseRenewal(subscription, key)
      if (!paid.ok && !isEnded) return handleDecline(subscription)
      const renewed =
        !isEnded &&
        (await connection.write({ account: subscription.account_id }, async (query) => {
          const now = await clock.now(query)
          const end = addMonths(subscription.period_end, 1, subscription.anchor)
          if (
            !(await transitionSubscription(query, subscription, {
              status: 'active',
              period_start: subscription.period_end,
              period_end: end,
            }))
          )
            return false
          await recordCardPayment(query, subscription.account_id, -subscription.price, {
            reason: description,
            reference: key,
            now,
          })
          await unscheduleJob(query, subscriptionJobKind, String(id))
          await scheduleJob(query, {
            account: subscription.account_id,
            kind: subscriptionJobKind,
            subject: String(id),
            at: end,
          })
          return true
        }))
      if (renewed) return
      // Another process renewed it, or the owner released the number during the charge. In the second case the paid
      // month is refunded.
      const current = await findSubscription(read, id)
      if (current && current.period_end !== subscription.period_end) return
      if (paid.ok) {
        const refunded = await providers.payments.refund(`${key}-refund`, paid.chargeId)
        if (refunded.ok) await releaseRenewal(subscription, key)
        // The job stays and repeats the refund.
        if (!refunded.ok) throw new Error(`The refund of ${paid.chargeId} failed: ${refunded.reason}`)
      }
      await connection.write({ rows: job.account_id }, (query) => unscheduleJob(query, subscriptionJobKind, String(id)))
    },
  }
}
