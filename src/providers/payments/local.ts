import type { Charge, Outcome, Payments } from '../../services/ports.ts'
import type { Connection } from '../../store/connection.ts'
import type { LocalChargeTable } from '../../store/tables.ts'
import { digest } from '../digest.ts'
import { type Gate, throughGate } from '../gate.ts'
import { KeyReused } from '../key-reused.ts'
import { magicFailure } from '../magic.ts'
import { declineOf } from './methods.ts'
import { prices } from './prices.ts'

const chargeIdOf = (key: string): string => `ch_${digest(key, 24)}`

const refusalOf = ({ method, number }: Charge): string | null =>
  number !== undefined && magicFailure(number) === 'numbers.payment_failed' ? 'The card was declined.' : declineOf(method)

const outcomeOf = ({ charge_id, failure }: LocalChargeTable): Outcome<{ readonly chargeId: string }> =>
  charge_id === null ? { ok: false, reason: failure ?? 'The charge failed.' } : { ok: true, chargeId: charge_id }

/** A payment processor whose books are the table `local_charge`. Its own transactions: it never takes part in the platform's. */
export function localPayments({ connection, gate }: { connection: Connection; gate?: Gate | undefined }): Payments {
  return {
    name: 'local',
    description: 'A made-up payment processor with its books in the database of this platform. No money moves.',
    price: (country) => prices[country],

    charge: (key, charge) =>
      throughGate(gate, 'payments.charge', () =>
        connection.write(async (query) => {
          const { method, amount, about } = charge
          if (!Number.isSafeInteger(amount) || amount <= 0) throw new RangeError(`A charge is a positive whole number of micro-USD, not ${amount}.`)
          const known = await query.selectFrom('local_charge').selectAll().where('key', '=', key).executeTakeFirst()
          if (known && (known.amount !== amount || known.about !== about)) throw new KeyReused(key)
          if (known) return outcomeOf(known)

          const failure = refusalOf(charge)
          const line = { key, charge_id: failure === null ? chargeIdOf(key) : null, method, amount, about, failure, refunded: 0 }
          await query.insertInto('local_charge').values(line).execute()
          return outcomeOf(line)
        }),
      ),

    refund: (_key, chargeId) =>
      throughGate(gate, 'payments.refund', () =>
        connection.write(async (query) => {
          const refunded = await query.updateTable('local_charge').set({ refunded: 1 }).where('charge_id', '=', chargeId).returning('key').executeTakeFirst()
          return refunded ? { ok: true } : { ok: false, reason: `There is no charge ${chargeId}.` }
        }),
      ),
  }
}
