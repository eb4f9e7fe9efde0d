import { Failure } from '../../../contract/errors/failures.ts'
import type { Country } from '../../../contract/values/countries.ts'
import type { InventoryNumber, MicroUsd } from '../../../engine/ports.ts'
import { scheduleJob, unscheduleJob, unscheduleUnstarted } from '../../jobs/job-loop.ts'
import { releasePurchase } from '../../store/billing/purchases.ts'
import { subscriptionJobKind, transitionSubscription } from '../../store/billing/subscriptions.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import {
  deleteNumber,
  findNumber,
  listNumbers,
  type NumberWithSubscription,
  renameNumber,
} from '../../store/numbers/numbers.ts'
import { findStartedJob } from '../../store/runtime/scheduled-jobs.ts'
import { releaseJobKind, subscriptionService } from '../billing/subscription-service.ts'
import type { Deps } from '../runtime/deps.ts'
import { removeTrunk } from './sip-trunks.ts'

/** Maximum numbers that a search returns. */
const searchLimit = 20

/** A number for sale with its monthly price. */
export interface PricedNumber extends InventoryNumber {
  readonly price: MicroUsd
  readonly priceId: string
}

/** Searches, lists, renames and releases numbers. */
export function numberService(deps: Deps) {
  const { connection, clock, providers } = deps

  async function requireNumber(account: number, id: number): Promise<NumberWithSubscription> {
    const owned = await findNumber(accountQuery(connection.read, account), id)
    if (!owned) throw new Failure('numbers.not_found')
    return owned
  }

  /** Returns the idempotency key of a release. The provider knows the operation by it after a crash, so it never changes. */
  const releaseKey = ({ id, created_at }: NumberWithSubscription['number']): string => `release-${id}-${created_at}`

  /** Releases a number at its provider and deletes it. It can be repeated after a crash. */
  async function releaseNow({ number }: NumberWithSubscription): Promise<void> {
    // Only numbers bought here are ordered from the provider. Caller IDs and SIP numbers belong to other providers.
    const released =
      number.type === 'normal'
        ? await providers.telephony.release(releaseKey(number), number.phone_number)
        : { ok: true }
    if (!released.ok) throw new Failure('numbers.release_failed')
    await connection.write({ account: number.account_id }, async (query) => {
      const now = await clock.now(query)
      await releasePurchase(query, number.id, now)
      if (number.type === 'sip') await removeTrunk(query, number.id, now)
      await deleteNumber(query, number.id)
    })
  }

  return {
    async search(country: Country, contains?: string): Promise<readonly PricedNumber[]> {
      const { amount, priceId } = providers.payments.price(country)
      const numbers = await providers.telephony.search({
        country,
        ...(contains !== undefined && { contains }),
        limit: searchLimit,
      })
      return numbers.map((it) => ({ ...it, price: amount, priceId }))
    },

    list: (account: number): Promise<NumberWithSubscription[]> => listNumbers(accountQuery(connection.read, account)),

    /** Sets the nickname, or clears it with null or an empty text. */
    async rename(account: number, id: number, nickname: string | null | undefined): Promise<NumberWithSubscription> {
      await requireNumber(account, id)
      if (nickname !== undefined)
        await connection.write({ account }, (query) => renameNumber(query, id, nickname || null))
      return requireNumber(account, id)
    },

    /**
     * Releases a number: at the end of the billing period if it has a subscription, else immediately. Returns which of
     * the two.
     */
    async release(account: number, id: number): Promise<'scheduled' | 'done'> {
      for (let tries = 0; tries < 5; tries++) {
        const owned = await requireNumber(account, id)
        const { subscription } = owned
        if (subscription?.status === 'ending') throw new Failure('numbers.release_scheduled')
        if (!subscription) {
          await releaseNow(owned)
          return 'done'
        }
        // A concurrent renewal changes the period. The transition fails then and is repeated with the new period.
        const ending = await connection.write({ account }, async (query) => {
          if (!(await transitionSubscription(query, subscription, { status: 'ending' }))) return false
          // A renewal that was started may have charged. Its job stays and refunds the charge.
          await unscheduleUnstarted(query, subscriptionJobKind, String(subscription.id))
          await scheduleJob(query, { account, kind: releaseJobKind, subject: String(id), at: subscription.period_end })
          return true
        })
        if (ending) return 'scheduled'
      }
      throw new Failure('numbers.release_failed')
    },

    /** Scheduled job: completes the release of a number. */
    async finishRelease(account: number, id: number): Promise<void> {
      const read = accountQuery(connection.read, account)
      const owned = await findNumber(read, id)
      const { subscription } = owned ?? {}
      // A renewal that may have charged is finished first, while the subscription with the amount still exists.
      const startedRenewal = subscription && (await findStartedJob(read, subscriptionJobKind, String(subscription.id)))
      if (startedRenewal) await subscriptionService(deps).renew(startedRenewal)
      if (owned) await releaseNow(owned)
      await connection.write({ rows: account }, (query) => unscheduleJob(query, releaseJobKind, String(id)))
    },
  }
}
