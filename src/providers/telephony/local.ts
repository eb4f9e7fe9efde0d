import type { Offer, Telephony } from '../../services/ports.ts'
import type { Connection } from '../../store/connection.ts'
import { type Gate, throughGate } from '../gate.ts'
import { magicFailure, magicMatch, magicOffer } from '../magic.ts'
import { createInventory } from './inventory.ts'
import { heldNumbers, isHeld, order, release } from './order-book.ts'
import { plans } from './plans.ts'

/**
 * A telephone provider with an inventory made from `seed` and the table `local_order` for its books.
 * Its own transactions: it never takes part in the platform's. The seed must stay the same for a database, or what is for sale changes.
 */
export function localTelephony({ connection, seed, gate }: { connection: Connection; seed: string; gate?: Gate | undefined }): Telephony {
  const inventory = createInventory(seed)

  const offerOf = (phoneNumber: string): Offer | null => {
    const magic = magicOffer(phoneNumber)
    return magic === undefined ? inventory.find(phoneNumber) : magic
  }

  const refusalOf = (phoneNumber: string): string | null => {
    if (magicFailure(phoneNumber) === 'numbers.provider_failed') return 'The provider could not set up the number.'
    const offer = offerOf(phoneNumber)
    return offer === null || offer.refuses ? 'The number is not for sale.' : null
  }

  return {
    name: 'local',
    description: 'A made-up inventory with its orders in the database of this platform. Nothing is bought and nobody is called.',

    search: (query) =>
      throughGate(gate, 'telephony.search', async () => {
        const held = await heldNumbers(connection.read, plans[query.country].callingCode)
        const magic = magicMatch(query)
        return magic && !held.has(magic.phoneNumber) ? [magic] : inventory.search(query, held)
      }),

    find: (phoneNumber) =>
      throughGate(gate, 'telephony.find', async () => {
        const offer = offerOf(phoneNumber)
        return offer === null || (await isHeld(connection.read, phoneNumber)) ? null : offer
      }),

    order: (key, phoneNumber) =>
      throughGate(gate, 'telephony.order', () => connection.write((query) => order(query, key, phoneNumber, refusalOf(phoneNumber)))),

    release: (key, phoneNumber) => throughGate(gate, 'telephony.release', () => connection.write((query) => release(query, key, phoneNumber))),
  }
}
