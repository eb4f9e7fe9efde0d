import type { NumberOffer, TelephonyProvider } from '../../../engine/ports.ts'
import type { Connection } from '../../store/database/connection.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { searchTestNumber, testNumberFailure, testNumberOffer } from '../local/test-numbers.ts'
import { createInventory } from './number-inventory.ts'
import { isOrdered, listOrderedNumbers, orderNumber, releaseNumber } from './number-orders.ts'
import { numberPlans } from './number-plans.ts'

/** Orders and releases of a number run one after the other: only one order may hold it. */
const numberScope = (phoneNumber: string) => ({ name: `orders of ${phoneNumber}` })

/**
 * Creates a telephony provider with an inventory derived from `seed` and orders in the table `local_order`. It uses its
 * own transactions and never takes part in the platform's. The seed must not change for a database, because it
 * determines which numbers are for sale.
 */
export function localTelephony({
  connection,
  seed,
  gate,
}: {
  connection: Connection
  seed: string
  gate?: FaultInjector | undefined
}): TelephonyProvider {
  const inventory = createInventory(seed)

  const findOffer = (phoneNumber: string): NumberOffer | null => {
    const testOffer = testNumberOffer(phoneNumber)
    return testOffer === undefined ? inventory.find(phoneNumber) : testOffer
  }

  const findRefusal = (phoneNumber: string): string | null => {
    if (testNumberFailure(phoneNumber) === 'numbers.provider_failed') return 'The provider could not set up the number.'
    const offer = findOffer(phoneNumber)
    return offer === null || offer.refusal ? 'The number is not for sale.' : null
  }

  return {
    name: 'local',
    description: 'Simulated number inventory, stored in the database of this platform. No real numbers are bought.',

    search: (query) =>
      withFaultInjection(gate, 'telephony.search', async () => {
        const orderedNumbers = await listOrderedNumbers(connection.read, numberPlans[query.country].callingCode)
        const testOffer = searchTestNumber(query)
        return testOffer && !orderedNumbers.has(testOffer.phoneNumber)
          ? [testOffer]
          : inventory.search(query, orderedNumbers)
      }),

    find: (phoneNumber) =>
      withFaultInjection(gate, 'telephony.find', async () => {
        const offer = findOffer(phoneNumber)
        return offer === null || (await isOrdered(connection.read, phoneNumber)) ? null : offer
      }),

    order: (key, phoneNumber) =>
      withFaultInjection(gate, 'telephony.order', () =>
        connection.write(numberScope(phoneNumber), (query) =>
          orderNumber(query, key, phoneNumber, findRefusal(phoneNumber)),
        ),
      ),

    release: (key, phoneNumber) =>
      withFaultInjection(gate, 'telephony.release', () =>
        connection.write(numberScope(phoneNumber), (query) => releaseNumber(query, key, phoneNumber)),
      ),
  }
}
