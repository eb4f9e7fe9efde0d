import { beforeAll, describe, expect, test } from 'vitest'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import { audit } from '../../../support/platform/audit-purchases.ts'
import type { Answered, Place } from '../../../support/platform/platform-api.ts'
import { newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'
import { type Worker, workersIn } from '../../../support/processes/start.ts'

let start: () => Worker
beforeAll(async () => {
  start = await workersIn(temporaryFolder())
})

const numbers = { succeeds: '+15005550006', isDeclined: '+15005550003', isRefunded: '+15005550004' } as const
type Fate = keyof typeof numbers

const shown: Record<Fate, object> = {
  succeeds: {
    status: 201,
    body: { message: 'Phone number purchased successfully.', data: { phone_number: numbers.succeeds } },
  },
  isDeclined: { status: 402, body: { error: 'Payment failed. Please update your payment method.' } },
  isRefunded: {
    status: 500,
    body: { error: 'Failed to purchase phone number from provider. Please contact support.' },
  },
}
const ends: Record<Fate, string> = { succeeds: 'owned', isDeclined: 'declined', isRefunded: 'refunded' }

/** A purchase in a process that dies at `kill`; undefined when it was not killed over it. */
async function purchaseThatDies(place: Place, key: string, number: string, kill: string | number): Promise<unknown> {
  const worker = start()
  afterFile(() => worker.kill())
  await worker.tell({ do: 'open', settings: place, kill })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'buy-once' }
  const answer = await worker.tell({
    do: 'handle',
    request: {
      method: 'POST',
      url: '/api/user/phone-numbers/purchase',
      headers,
      body: JSON.stringify({ phone_number: number }),
    },
  })
  await worker.kill()
  return answer
}

describe.each(databases)('a purchase on $name whose process is killed', (database) => {
  /** A filled place with a buyer whose key was used a moment ago, so that a purchase is all that its process writes. */
  async function prepared(): Promise<{ place: Place; key: string }> {
    const place = await newPlace(database)
    const api = await openAt(place)
    const { key } = await api.account()
    await api.ask('GET', '/api/user/me', { key })
    await api.platform.close()
    return { place, key }
  }

  /** Opens what a dead process left, and looks whether everything came to its end. */
  async function recovered(
    { place, key }: { place: Place; key: string },
    fate: Fate,
    order: 'work first' | 'ask first',
  ): Promise<void> {
    const api = await openAt(place)
    const tables = await tablesOf(place)
    const { read } = tables
    const again = (): Promise<Answered> => api.buy(numbers[fate], { key, headers: { 'idempotency-key': 'buy-once' } })
    if (order === 'work first') {
      await api.platform.due.drain()
      expect(await audit(read)).toEqual([])
    }
    const first = await again()
    expect(first).toMatchObject(shown[fate])
    expect((await again()).text).toBe(first.text)
    expect(await read.selectFrom('purchase').select('state').execute()).toEqual([{ state: ends[fate] }])
    await api.platform.due.drain()
    expect(await audit(read)).toEqual([])
    const charges = await read.selectFrom('local_charge').select(['charge_id', 'refunded']).execute()
    expect(charges).toEqual([
      { charge_id: fate === 'isDeclined' ? null : expect.any(String), refunded: fate === 'isRefunded' ? 1 : 0 },
    ])
    const owned = (await api.ask('GET', '/api/user/phone-numbers/all', { key })).body.data
    expect(owned).toHaveLength(fate === 'succeeds' ? 1 : 0)
    await tables.close()
    await api.platform.close()
  }

  const steps: [Fate, string][] = [
    ['succeeds', 'telephony.find:before'],
    ['succeeds', 'telephony.find:after'],
    ['succeeds', 'payments.charge:before'],
    ['succeeds', 'payments.charge:after'],
    ['succeeds', 'telephony.order:before'],
    ['succeeds', 'telephony.order:after'],
    ['isDeclined', 'payments.charge:after'],
    ['isRefunded', 'payments.charge:after'],
    ['isRefunded', 'telephony.order:after'],
    ['isRefunded', 'payments.refund:before'],
    ['isRefunded', 'payments.refund:after'],
  ]
  test.concurrent.each(steps)('a purchase that %s, at %s, is finished by the next process', async (fate, step) => {
    const buyer = await prepared()
    expect(await purchaseThatDies(buyer.place, buyer.key, numbers[fate], step)).toBeUndefined()
    await recovered(buyer, fate, 'work first')
  })

  test.each(['succeeds', 'isRefunded', 'isDeclined'] as const)(
    'a purchase that %s, between any two of its states, ends like one that was not killed',
    async (fate) => {
      let survived = false
      let commits = 0
      while (!survived) {
        const buyer = await prepared()
        survived = (await purchaseThatDies(buyer.place, buyer.key, numbers[fate], ++commits)) !== undefined
        await recovered(buyer, fate, commits % 2 === 0 ? 'work first' : 'ask first')
      }
      // The claim of the key, the reservation, the charge, its state, ..., the answer: killed after each of them.
      expect(commits - 1).toBe({ succeeds: 8, isRefunded: 9, isDeclined: 5 }[fate])
    },
  )
})
