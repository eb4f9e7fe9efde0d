import { beforeAll, describe, expect, test } from 'vitest'
import type { FaultInjector } from '../../../../src/platform/providers/local/fault-injection.ts'
import { databases } from '../../../support/databases.ts'
import { audit } from '../../../support/platform/audit-purchases.ts'
import { type Answered, type Api, isAlive, type TestAccount } from '../../../support/platform/platform-api.ts'
import { fresh, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'

const inUse = { status: 400, text: '{"error":"This phone number is already in use."}' }
const notAvailable = {
  status: 400,
  text: '{"error":"This phone number is not available for purchase. Please search for available numbers first."}',
}
const noMethod = {
  status: 402,
  text: '{"error":"No payment method found. Please add a payment method to your account."}',
}
const paymentFailed = { status: 402, text: '{"error":"Payment failed. Please update your payment method."}' }
const unparseable = {
  status: 422,
  text: '{"error":"Unable to parse phone number. Please provide a valid E.164 format number."}',
}
const providerFailed = {
  status: 500,
  text: '{"error":"Failed to purchase phone number from provider. Please contact support."}',
}

describe.each(databases)('buying a number on $name', (database) => {
  let api: Api
  let buyer: TestAccount
  let check: () => Promise<string[]>
  let taken = 0
  beforeAll(async () => {
    const made = await fresh(database)
    api = made
    const { read } = await tablesOf(made.place)
    check = () => audit(read)
    buyer = await api.account({ name: 'Buyer' })
  })
  const forSale = async (country = 'US'): Promise<string> => {
    const { data } = (await api.ask('GET', `/api/user/phone-numbers/search?country_code=${country}`)).body
    return data[taken++ % data.length].phone_number
  }
  const owned = async (key: string) => (await api.ask('GET', '/api/user/phone-numbers/all', { key })).body.data
  const ledger = async ({ id }: TestAccount) => (await api.control('GET', `/control/accounts/${id}/ledger`)).body.data

  test('adds it to the account, with a month paid by card and an unchanged balance', async () => {
    const owner = await api.account({ balance: 5 })
    const { body: offers } = await api.ask('GET', '/api/user/phone-numbers/search?country_code=GB')
    const offer = offers.data[3]
    const answer = await api.buy(offer.phone_number, owner)
    expect(answer).toMatchObject({ status: 201 })
    expect(answer.body).toEqual({
      message: 'Phone number purchased successfully.',
      data: {
        id: expect.any(Number),
        phone_number: offer.phone_number,
        country_code: 'GB',
        type: 'normal',
        sms_capable: offer.sms_capable,
      },
    })
    const [number] = await owned(owner.key)
    expect(number).toMatchObject({
      ...answer.body.data,
      nickname: null,
      type_label: 'Normal',
      has_active_subscription: true,
      ends_at: null,
    })
    expect(number.renews_at > number.created_at).toBe(true)
    expect((await api.ask('GET', '/api/user/me', owner)).body.total_balance).toBe(5)
    expect(await ledger(owner)).toMatchObject([
      { kind: 'top_up', usage_kind: null, unit: 'usd', amount: 5, balance_after: 5 },
      {
        kind: 'card_charge',
        usage_kind: 'numbers',
        unit: 'usd',
        amount: -offer.price,
        balance_after: null,
        reason: expect.stringContaining(offer.phone_number),
      },
    ])
    expect(await check()).toEqual([])
  })

  test('removes it from the search of all accounts', async () => {
    const number = await forSale('NL')
    await api.buy(number, buyer)
    for (const key of [buyer.key, api.platform.credentials().key])
      expect((await api.ask('GET', '/api/user/phone-numbers/search?country_code=NL', { key })).text).not.toContain(
        number,
      )
  })

  test('is refused if any account has it, also the same one', async () => {
    const number = await forSale()
    expect(await api.buy(number, buyer)).toMatchObject({ status: 201 })
    const other = await api.account()
    for (const { key } of [buyer, other]) expect(await api.buy(number, { key })).toMatchObject(inUse)
    expect(await api.buy('+15005550000', buyer)).toMatchObject(inUse)
    expect((await owned(other.key)).length).toBe(0)
  })

  test('is refused when it is not for sale', async () => {
    for (const number of ['+14155552671', '+4930123456', '+15005550001', '+15005550005'])
      expect(await api.buy(number, buyer), number).toMatchObject(notAvailable)
  })

  test('is refused without a payment method, and nothing is charged', async () => {
    const poor = await api.account({ payment_method: null, balance: 100 })
    expect(await api.buy(await forSale(), poor)).toMatchObject(noMethod)
    expect(await api.buy('+15005550002', buyer)).toMatchObject(noMethod)
    expect(await ledger(poor)).toMatchObject([{ kind: 'top_up' }])
  })

  test('is refused when the payment fails; the number stays for sale, and is sold once the card works', async () => {
    for (const payment_method of ['pm_card_declined', 'pm_card_expired', 'pm_of_nobody']) {
      const account = await api.account({ payment_method })
      const number = await forSale('IT')
      expect(await api.buy(number, account)).toMatchObject(paymentFailed)
      expect(await ledger(account)).toEqual([])
      await api.control('PUT', `/control/accounts/${account.id}`, { payment_method: 'pm_card_visa' })
      expect(await api.buy(number, account)).toMatchObject({ status: 201 })
    }
    expect(await api.buy('+15005550003', buyer)).toMatchObject(paymentFailed)
    expect(await check()).toEqual([])
  })

  test.each([
    'hello',
    '4155552671',
    '+',
    '+1',
    '+1415555267155526',
    'tel:+14155552671',
    '+1415555ABCD',
    '0014155552671',
    '＋14155552671',
    '+14155552671;ext=5',
    ' +14155552671',
    '+0123456789',
  ])('is refused when the price of number %s is unknown', async (number) => {
    expect(await api.buy(number, buyer)).toMatchObject(unparseable)
  })

  test('accepts a number with any grouping', async () => {
    const number = await forSale()
    const grouped = `${number.slice(0, 2)} (${number.slice(2, 5)}) ${number.slice(5, 8)}-${number.slice(8)}`
    expect(await api.buy(grouped, buyer)).toMatchObject({ status: 201, body: { data: { phone_number: number } } })
  })

  test('is refused if the provider fails, and the payment is refunded', async () => {
    const account = await api.account()
    for (let n = 0; n < 2; n++) expect(await api.buy('+15005550004', account)).toMatchObject(providerFailed)
    expect((await ledger(account)).map((it: { kind: string; amount: number }) => [it.kind, it.amount])).toEqual([
      ['card_charge', -1.15],
      ['card_refund', 1.15],
      ['card_charge', -1.15],
      ['card_refund', 1.15],
    ])
    expect(await owned(account.key)).toEqual([])
    expect(await check()).toEqual([])
  })

  test('requires a text', async () => {
    for (const phone_number of [undefined, null, '', 14155552671, ['+14155552671'], true])
      expect(
        await api.ask('POST', '/api/user/phone-numbers/purchase', { ...buyer, body: { phone_number } }),
      ).toMatchObject({
        status: 422,
        body: { errors: { phone_number: [expect.any(String)] } },
      })
  })

  test('by twenty concurrent buyers succeeds for one; the others get an error that it is in use', async () => {
    const buyers = await Promise.all(Array.from({ length: 20 }, () => api.account()))
    const number = await forSale('DK')
    const answers = await Promise.all(buyers.map((it) => api.buy(number, it)))
    expect(answers.map((it) => it.status).sort()).toEqual([201, ...Array(19).fill(400)])
    for (const answer of answers.filter(({ status }) => status === 400)) expect(answer).toMatchObject(inUse)
    const winners = (await Promise.all(buyers.map(async (it, n) => [n, (await owned(it.key)).length] as const))).filter(
      ([, count]) => count > 0,
    )
    expect(winners).toEqual([[answers.findIndex((it) => it.status === 201), 1]])
    const charged = (await Promise.all(buyers.map(ledger))).flat()
    expect(charged).toMatchObject([{ kind: 'card_charge', amount: -4 }])
    expect(await check()).toEqual([])
  })
})

describe.each(databases)('a purchase on $name with failing providers', (database) => {
  /** A platform whose gate fails at a step a given number of times, and a second one on the same data, of another process. */
  async function failing() {
    const failure = { at: '', times: 0 }
    const gate: FaultInjector = async (step) => {
      if (step === failure.at && failure.times-- > 0) throw new Error('The line is dead.')
    }
    const api = await fresh(database, { gate })
    const { read } = await tablesOf(api.place)
    return { api, failure, read, buyer: await api.account() }
  }
  const number = '+15005550006'

  test.each(['payments.charge:before', 'payments.charge:after', 'telephony.order:before', 'telephony.order:after'])(
    'is a server error at %s, and the same key resumes where it stopped',
    async (at) => {
      const { api, failure, read, buyer } = await failing()
      Object.assign(failure, { at, times: 1 })
      const asked = { ...buyer, headers: { 'idempotency-key': 'k' } }
      expect(await api.buy(number, asked)).toMatchObject({ status: 500, text: '{"message":"Server Error"}' })
      expect(await api.buy(number, asked)).toMatchObject({ status: 201 })
      await api.platform.due.drain()
      expect(await audit(read)).toEqual([])
    },
  )

  test('in progress is left to its process while that lives, and finished by others as soon as it ended', async () => {
    const { api, failure, read, buyer } = await failing()
    Object.assign(failure, { at: 'telephony.order:before', times: 1 })
    expect((await api.buy(number, buyer)).status).toBe(500)
    const neighbour = await openAt(api.place)
    expect(await neighbour.platform.due.drain()).toEqual([])
    expect(await api.buy(number, buyer)).toMatchObject(inUse)
    const heir = await openAt(api.place, { pid: 1, isAlive: (pid) => pid !== process.pid && isAlive(pid) })
    expect(await heir.platform.due.drain()).toMatchObject([{ kind: 'purchase' }])
    expect(await audit(read)).toEqual([])
    expect((await api.ask('GET', '/api/user/phone-numbers/all', buyer)).body.data).toMatchObject([
      { phone_number: number },
    ])
  })

  test('whose refund fails retries it until it succeeds', async () => {
    let wall = Date.now()
    const place = await failing()
    const { read, buyer } = place
    let failures = 3
    const api = await openAt(place.api.place, {
      wall: () => wall,
      gate: async (step) => {
        if (step === 'payments.refund:before' && failures-- > 0) throw new Error('The line is dead.')
      },
    })
    expect((await api.buy('+15005550004', buyer)).status).toBe(500)
    for (let n = 0; n < 10; n++) {
      wall += 60_000
      await api.platform.due.drain()
    }
    expect(failures).toBe(-1)
    expect(await audit(read)).toEqual([])
    expect(await read.selectFrom('purchase').select('state').execute()).toEqual([{ state: 'refunded' }])
  })

  test('continues although the payment method was changed: a payment is made once', async () => {
    const { api, failure, read, buyer } = await failing()
    Object.assign(failure, { at: 'payments.charge:after', times: 1 })
    const asked = { ...buyer, headers: { 'idempotency-key': 'k' } }
    expect((await api.buy(number, asked)).status).toBe(500)
    await api.control('PUT', `/control/accounts/${buyer.id}`, { payment_method: null })
    const answer: Answered = await api.buy(number, asked)
    expect(answer).toMatchObject({ status: 201 })
    expect(await audit(read)).toEqual([])
  })
})
