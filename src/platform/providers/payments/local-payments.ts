import type { Country } from '../../../contract/values/countries.ts'
import type { ChargeRequest, MicroUsd, PaymentProvider, ProviderResult } from '../../../engine/ports.ts'
import type { Connection } from '../../store/database/connection.ts'
import type { LocalChargeTable } from '../../store/simulators/tables.ts'
import { digest } from '../local/digest.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { IdempotencyKeyReused } from '../local/idempotent-request.ts'
import { testNumberFailure } from '../local/test-numbers.ts'

/** A price with its id at the payment processor. */
interface Price {
  /** Price per month. */
  readonly amount: MicroUsd
  readonly priceId: string
}

const monthly = (country: string, amount: MicroUsd): Price => ({ amount, priceId: `price_local_${country}_monthly` })

/**
 * Monthly prices of numbers by country. Rows of subscriptions have their price and its id, so that a change applies to
 * new ones only.
 */
const numberPrices: Readonly<Record<Country, Price>> = {
  US: monthly('us', 1_150_000),
  CA: monthly('ca', 1_150_000),
  GB: monthly('gb', 1_300_000),
  AU: monthly('au', 3_000_000),
  IL: monthly('il', 4_250_000),
  PL: monthly('pl', 2_500_000),
  FI: monthly('fi', 3_500_000),
  NL: monthly('nl', 3_750_000),
  DK: monthly('dk', 4_000_000),
  IT: monthly('it', 2_000_000),
}

/**
 * Payment methods of the local processor, with the reason why each declines every charge; null when it works. Rows of
 * accounts have these names.
 */
export const paymentMethods = {
  pm_card_visa: null,
  pm_card_declined: 'The card was declined.',
  pm_card_expired: 'The card has expired.',
} as const satisfies Readonly<Record<string, string | null>>

/** Returns why a method declines a charge, or null. An unknown method declines too. */
function declineReason(method: string): string | null {
  return Object.hasOwn(paymentMethods, method)
    ? paymentMethods[method as keyof typeof paymentMethods]
    : `Unknown payment method "${method}".`
}

/** Returns the id of the charge with this key. The platform has stored it for the refund, so it never changes. */
const toChargeId = (key: string): string => `ch_${digest(key, 24)}`

const findDecline = ({ method, number }: ChargeRequest): string | null =>
  number !== undefined && testNumberFailure(number) === 'numbers.payment_failed'
    ? 'The card was declined.'
    : declineReason(method)

const toOutcome = ({ charge_id, failure }: LocalChargeTable): ProviderResult<{ readonly chargeId: string }> =>
  charge_id === null ? { ok: false, reason: failure ?? 'The charge failed.' } : { ok: true, chargeId: charge_id }

/**
 * Creates a payment processor that stores its charges in the table `local_charge`. It uses its own transactions and
 * never takes part in the platform's.
 */
export function localPayments({
  connection,
  gate,
}: {
  connection: Connection
  gate?: FaultInjector | undefined
}): PaymentProvider {
  return {
    name: 'local',
    description: 'Simulated payment processor, stored in the database of this platform. No real charges are made.',
    price: (country) => numberPrices[country],

    charge: (key, charge) =>
      withFaultInjection(gate, 'payments.charge', () =>
        connection.write('rows', async (query) => {
          const { method, amount, about } = charge
          if (!Number.isSafeInteger(amount) || amount <= 0)
            throw new RangeError(`Invalid charge ${amount}. Use a positive whole number of micro-USD.`)
          const failure = findDecline(charge)
          const record = {
            key,
            charge_id: failure === null ? toChargeId(key) : null,
            method,
            amount,
            about,
            failure,
            refunded: 0,
          }
          const isNew = await query
            .insertInto('local_charge')
            .values(record)
            // The table is unique by key and by charge_id. With only the key named here, PostgreSQL reports a concurrent
            // insert of the same charge as a violation of the other index.
            .onConflict((it) => it.doNothing())
            .returning('key')
            .executeTakeFirst()
          if (isNew) return toOutcome(record)
          const known = await query
            .selectFrom('local_charge')
            .selectAll()
            .where('key', '=', key)
            .executeTakeFirstOrThrow()
          if (known.amount !== amount || known.about !== about) throw new IdempotencyKeyReused(key)
          return toOutcome(known)
        }),
      ),

    refund: (_key, chargeId) =>
      withFaultInjection(gate, 'payments.refund', () =>
        connection.write('rows', async (query) => {
          const refunded = await query
            .updateTable('local_charge')
            .set({ refunded: 1 })
            .where('charge_id', '=', chargeId)
            .returning('key')
            .executeTakeFirst()
          return refunded ? { ok: true } : { ok: false, reason: `Charge not found: ${chargeId}.` }
        }),
      ),
  }
}
