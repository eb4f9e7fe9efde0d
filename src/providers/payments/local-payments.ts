import type { Connection } from '../../store/database/connection.ts'
import type { LocalChargeTable } from '../../store/simulators/payment-tables.ts'
import { digest } from '../local/digest.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { IdempotencyKeyReused } from '../local/idempotency-key-reused.ts'
import { testNumberFailure } from '../local/test-numbers.ts'
import type { ChargeRequest, PaymentProvider } from '../ports/payments.ts'
import type { ProviderResult } from '../ports/provider.ts'
import { numberPrices } from './number-prices.ts'
import { declineReason } from './payment-methods.ts'

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
            .onConflict((it) => it.column('key').doNothing())
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
