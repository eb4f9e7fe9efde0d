import type { Connection } from '../../store/database/connection.ts'
import { type FaultInjector, withFaultInjection } from '../local/fault-injection.ts'
import { searchTestNumber, testNumberFailure, testNumberOffer } from '../local/test-numbers.ts'
import type { NumberOffer, TelephonyProvider } from '../ports/providers.ts'
import { createInventory } from './number-inventory.ts'
import { isOrdered, listOrderedNumbers, orderNumber, releaseNumber } from './number-orders.ts'
import { numberPlans } from './number-plans.ts'

/**
 * A telephone provider with an inventory made from `seed` and the table `local_order` for its books.
 * Its own transactions: it never takes part in the platform's. The seed must stay the same for a database, or what is for sale changes.
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
        connection.write((query) => orderNumber(query, key, phoneNumber, findRefusal(phoneNumber))),
      ),

    release: (key, phoneNumber) =>
      withFaultInjection(gate, 'telephony.release', () =>
        connection.write((query) => releaseNumber(query, key, phoneNumber)),
      ),
  }
}
