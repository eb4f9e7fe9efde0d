import { Failure, type FailureName } from '../../../contract/errors/failures.ts'
import { day } from '../../../contract/values/micros.ts'
import { parsePhoneNumber } from '../../../contract/values/phone-number.ts'
import { requireValue } from '../../../node/require-value.ts'
import { addMonths } from '../../jobs/clock.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import {
  findActivePurchase,
  findPurchase,
  type PurchaseRow,
  type PurchaseState,
  reservePurchase,
  transitionPurchase,
} from '../../store/billing/purchases.ts'
import { insertSubscription, subscriptionJobKind } from '../../store/billing/subscriptions.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { appendEvent } from '../../store/deliveries/outbox.ts'
import { findNumberRow, insertNumber, isNumberOwned, type NumberRow } from '../../store/numbers/numbers.ts'
import { findByRequestKey, releaseRequestKey } from '../../store/runtime/idempotency-keys.ts'
import type { JobRow } from '../../store/runtime/scheduled-jobs.ts'
import type { Deps } from '../runtime/deps.ts'
import { type Payer, reserveSpending, settleSpending } from './key-budget.ts'
import { recordCardPayment } from './ledger.ts'

/** Kind of the job that finishes a purchase whose process crashed. The subject is the purchase's id. Its rows have this name, so it never changes. */
export const purchaseJobKind = 'purchase'

const finalStates: readonly PurchaseState[] = ['owned', 'declined', 'refunded', 'released']

/**
 * Buys numbers (section 4.5). A purchase is a durable row: `reserved -> paid -> provisioned -> owned`, or `declined`,
 * or `refunding -> refunded`. Each call to the payment processor or the telephony provider happens outside any
 * transaction, under an idempotency key derived from the row. Each state is committed before the next step, so any
 * process can continue after a crash, and money moves once or not at all.
 */
export function purchaseService(deps: Deps) {
  const { connection, clock, providers } = deps
  /** Returns the idempotency key of a step of a purchase. The provider knows the operation by it after a crash, so it never changes. */
  const operationKey = (purchase: PurchaseRow, step: string): string =>
    `purchase-${purchase.id}-${purchase.created_at}-${step}`

  /** Changes the state of the row if it still has the expected one. Returns the row as it is now in either case. */
  async function advance(
    purchase: PurchaseRow,
    change: Parameters<typeof transitionPurchase>[3],
    onMoved?: (query: Parameters<typeof transitionPurchase>[0], now: number) => Promise<void>,
  ): Promise<PurchaseRow> {
    return connection.write({ account: purchase.account_id }, async (query) => {
      const now = await clock.now(query)
      const moved = await transitionPurchase(query, purchase.id, purchase.state, { ...change, updated_at: now })
      if (!moved) return requireValue(await findPurchase(query, purchase.id))
      await onMoved?.(query, now)
      if (moved.state === 'declined' || moved.state === 'refunded')
        await settleSpending(query, moved.account_id, operationKey(moved, 'charge'), 0)
      if (finalStates.includes(moved.state)) await unscheduleJob(query, purchaseJobKind, String(purchase.id))
      return moved
    })
  }

  const steps: Partial<Record<PurchaseState, (purchase: PurchaseRow) => Promise<PurchaseRow>>> = {
    async reserved(purchase) {
      const account = await findAccount(connection.read, purchase.account_id)
      const description = `Phone number ${purchase.phone_number}`
      const paid = await providers.payments.charge(operationKey(purchase, 'charge'), {
        method: account?.payment_method ?? '',
        amount: purchase.price,
        about: description,
        number: purchase.phone_number,
      })
      if (!paid.ok) return advance(purchase, { state: 'declined', failure: 'numbers.payment_failed' })
      return advance(purchase, { state: 'paid', charge_id: paid.chargeId }, (query, now) =>
        recordCardPayment(query, purchase.account_id, -purchase.price, {
          reason: description,
          reference: operationKey(purchase, 'charge'),
          now,
        }),
      )
    },

    async paid(purchase) {
      const order = await providers.telephony.order(operationKey(purchase, 'order'), purchase.phone_number)
      return advance(
        purchase,
        order.ok
          ? { state: 'provisioned', order_sid: order.sid }
          : { state: 'refunding', failure: 'numbers.provider_failed' },
      )
    },

    async refunding(purchase) {
      const refunded = await providers.payments.refund(
        operationKey(purchase, 'refund'),
        requireValue(purchase.charge_id),
      )
      if (!refunded.ok) throw new Error(`The refund of ${purchase.charge_id} failed: ${refunded.reason}`)
      return advance(purchase, { state: 'refunded' }, (query, now) =>
        recordCardPayment(query, purchase.account_id, purchase.price, {
          reason: `Refund of ${purchase.phone_number}`,
          reference: operationKey(purchase, 'refund'),
          now,
        }),
      )
    },

    async provisioned(purchase) {
      return connection.write({ account: purchase.account_id }, async (query) => {
        const now = await clock.now(query)
        const moved = await transitionPurchase(query, purchase.id, 'provisioned', { state: 'owned', updated_at: now })
        if (!moved) return requireValue(await findPurchase(query, purchase.id))
        const number = await insertNumber(query, {
          account_id: purchase.account_id,
          phone_number: purchase.phone_number,
          country_code: purchase.country_code,
          region: purchase.region,
          type: 'normal',
          sms_capable: purchase.sms_capable,
          nickname: null,
          created_at: now,
        })
        const anchor = new Date(now / 1000).getUTCDate()
        const subscription = await insertSubscription(query, {
          account_id: purchase.account_id,
          number_id: number.id,
          status: 'active',
          price: purchase.price,
          price_id: purchase.price_id,
          anchor,
          period_start: now,
          period_end: addMonths(now, 1, anchor),
          key_id: purchase.key_id,
        })
        await scheduleJob(query, {
          account: purchase.account_id,
          kind: subscriptionJobKind,
          subject: String(subscription.id),
          at: subscription.period_end,
        })
        await appendEvent(query, {
          account: purchase.account_id,
          kind: 'number.purchased',
          subject: String(number.id),
          payload: { phone_number: number.phone_number },
          now,
        })
        await unscheduleJob(query, purchaseJobKind, String(purchase.id))
        return requireValue(await transitionPurchase(query, purchase.id, 'owned', { number_id: number.id }))
      })
    },
  }

  /** Takes a purchase from its current state to its end. Several processes may do so at once. */
  const finish = (purchase: PurchaseRow): Promise<PurchaseRow> =>
    deps.leases.during(purchaseJobKind, [purchase.id], async () => {
      let current = purchase
      for (let step = steps[current.state]; step; step = steps[current.state]) current = await step(current)
      return current
    })

  /** Returns the number of a finished purchase. @throws Failure the refusal that the purchase ended with */
  async function purchaseResult(purchase: PurchaseRow): Promise<NumberRow> {
    if (purchase.failure) throw new Failure(purchase.failure)
    const { account_id, number_id } = purchase
    const number =
      number_id === null ? undefined : await findNumberRow(accountQuery(connection.read, account_id), number_id)
    if (!number) throw new Failure('numbers.not_available')
    return number
  }

  return {
    /**
     * Buys a number for an account. A request with the same idempotency key within a day continues the same purchase
     * and returns the same result. @throws Failure with one of the six refusals of section 4.5
     */
    async buy(account: Payer, given: string, idempotencyKey?: string): Promise<NumberRow> {
      const findByKey = async (): Promise<PurchaseRow | undefined> =>
        idempotencyKey === undefined
          ? undefined
          : findByRequestKey(
              accountQuery(connection.read, account.id),
              'purchase',
              idempotencyKey,
              (await clock.now()) - day,
            )
      /**
       * Resolves a conflict with a concurrent request: with the same key both are one purchase, otherwise this one is
       * refused.
       */
      const resolveConflict = async (kind: FailureName): Promise<NumberRow> => {
        const concurrent = await findByKey()
        if (concurrent) return purchaseResult(await finish(concurrent))
        throw new Failure(kind)
      }
      const earlier = await findByKey()
      if (earlier) return purchaseResult(await finish(earlier))
      const phoneNumber = await parsePhoneNumber(given)
      if (!phoneNumber) throw new Failure('numbers.unparseable')
      if (await isNumberOwned(connection, phoneNumber)) return resolveConflict('numbers.in_use')
      const offer = await providers.telephony.find(phoneNumber)
      if (offer?.refusal) throw new Failure(`numbers.${offer.refusal}`)
      if (!offer)
        return resolveConflict(
          (await findActivePurchase(connection, phoneNumber)) ? 'numbers.in_use' : 'numbers.not_available',
        )
      if (!account.payment_method) throw new Failure('numbers.no_payment_method')

      const { amount, priceId } = providers.payments.price(offer.country)
      const reserved = await connection.write({ account: account.id }, async (query) => {
        const now = await clock.now(query)
        if (idempotencyKey !== undefined) await releaseRequestKey(query, 'purchase', idempotencyKey, now - day)
        const purchase = await reservePurchase(query, {
          account_id: account.id,
          phone_number: phoneNumber,
          state: 'reserved',
          idempotency_key: idempotencyKey ?? null,
          country_code: offer.country,
          region: offer.region,
          sms_capable: offer.smsCapable ? 1 : 0,
          price: amount,
          price_id: priceId,
          charge_id: null,
          order_sid: null,
          number_id: null,
          failure: null,
          key_id: account.keyId ?? null,
          created_at: now,
          updated_at: now,
        })
        if (purchase)
          await reserveSpending(query, account, { reference: operationKey(purchase, 'charge'), amount, now })
        if (purchase)
          await scheduleJob(query, {
            account: account.id,
            kind: purchaseJobKind,
            subject: String(purchase.id),
            at: now,
            lease: { owner: deps.owner, wall: deps.wall() },
          })
        return purchase
      })
      if (!reserved) return resolveConflict('numbers.in_use')
      return purchaseResult(await finish(reserved))
    },

    /** Finishes a purchase that its process did not finish. */
    async resume({ account_id: account, subject }: JobRow): Promise<void> {
      const purchase = await findPurchase(accountQuery(connection.read, account), Number(subject))
      if (purchase) await finish(purchase)
      await connection.write({ rows: account }, (query) => unscheduleJob(query, purchaseJobKind, subject))
    },
  }
}
