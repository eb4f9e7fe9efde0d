import { describe, expect, test } from 'vitest'
import type { FaultInjector } from '../../../../src/platform/providers/local/fault-injection.ts'
import { databases } from '../../../support/databases.ts'
import { audit } from '../../../support/platform/audit-purchases.ts'
import type { Api, TestAccount } from '../../../support/platform/platform-api.ts'
import { newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'

describe.each(databases)('a subscription on $name', (database) => {
  /** An empty platform whose clock is frozen at a moment, and a buyer with a number bought then. */
  async function bought(at: string, gate?: FaultInjector) {
    const place = await newPlace(database)
    const api = await openAt(place, { empty: true, ...(gate && { gate }) })
    await api.control('POST', '/control/clock/freeze', { at })
    const buyer = await api.account()
    const offer = (await api.ask('GET', '/api/user/phone-numbers/search', buyer)).body.data[0]
    const { id, phone_number } = (await api.buy(offer.phone_number, buyer)).body.data
    const { read } = await tablesOf(place)
    return {
      api,
      buyer,
      number: { id, phone_number },
      check: () => audit(read),
      events: () => read.selectFrom('outbox').select('kind').orderBy('id').execute(),
      read,
      place,
    }
  }
  type Bought = Awaited<ReturnType<typeof bought>>
  const advance = async (api: Api, by: string) => (await api.control('POST', '/control/clock/advance', { by })).body
  const list = async ({ api, buyer }: Bought) => (await api.ask('GET', '/api/user/phone-numbers/all', buyer)).body.data
  const pay = ({ api, buyer }: Bought, payment_method: string | null) =>
    api.control('PUT', `/control/accounts/${buyer.id}`, { payment_method })
  const paidOn = async (api: Api, { id }: TestAccount): Promise<string[]> =>
    (await api.control('GET', `/control/accounts/${id}/ledger`)).body.data.map(
      (entry: { kind: string; created_at: string }) => {
        expect(entry).toMatchObject({ kind: 'card_charge', amount: -1.15 })
        return entry.created_at.slice(0, 16)
      },
    )

  test.each([
    [
      '2027-01-31T10:00:00Z',
      '190d',
      ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31', '2027-06-30', '2027-07-31'],
      '2027-08-31',
    ],
    ['2027-12-31T10:00:00Z', '95d', ['2027-12-31', '2028-01-31', '2028-02-29', '2028-03-31'], '2028-04-30'],
    ['2028-02-29T10:00:00Z', '62d', ['2028-02-29', '2028-03-29', '2028-04-29'], '2028-05-29'],
    ['2027-02-28T10:00:00Z', '31d', ['2027-02-28', '2027-03-28'], '2027-04-28'],
  ])('started %s is paid each month on its day, or the last of a short month', async (at, by, days, next) => {
    const purchase = await bought(at)
    await advance(purchase.api, by)
    expect(await paidOn(purchase.api, purchase.buyer)).toEqual(days.map((day) => `${day}T10:00`))
    expect(await list(purchase)).toMatchObject([
      { renews_at: `${next}T10:00:00.000000Z`, ends_at: null, has_active_subscription: true },
    ])
    expect(await purchase.check()).toEqual([])
  })

  test('is renewed among others in the exact order of their dates, each at its own time', async () => {
    const { api, read } = await bought('2027-01-31T10:00:00Z')
    for (const [hours, country] of [
      ['1h', 'GB'],
      ['48h', 'NL'],
      ['26h', 'DK'],
    ] as const) {
      await advance(api, hours)
      const buyer = await api.account()
      const { data } = (await api.ask('GET', `/api/user/phone-numbers/search?country_code=${country}`, buyer)).body
      await api.buy(data[0].phone_number, buyer)
    }
    const { done, now } = await advance(api, '100d')
    const moments = done.map((it: { due_at: string }) => it.due_at)
    expect(moments).toEqual([...moments].sort())
    expect(
      done.map(
        (it: { kind: string; subject: string; due_at: string }) => `${it.kind} ${it.subject} ${it.due_at.slice(0, 13)}`,
      ),
    ).toEqual([
      'subscription 1 2027-02-28T10',
      'subscription 2 2027-02-28T11',
      'subscription 3 2027-03-02T11',
      'subscription 4 2027-03-03T13',
      'subscription 1 2027-03-31T10',
      'subscription 2 2027-03-31T11',
      'subscription 3 2027-04-02T11',
      'subscription 4 2027-04-03T13',
      'subscription 1 2027-04-30T10',
      'subscription 2 2027-04-30T11',
      'subscription 3 2027-05-02T11',
      'subscription 4 2027-05-03T13',
    ])
    expect(now).toBe('2027-05-14T13:00:00.000000Z')
    const booked = await read
      .selectFrom('ledger')
      .select(['reference', 'created_at'])
      .where('reference', 'like', 'subscription-%')
      .orderBy('id')
      .execute()
    expect(booked.map((it) => new Date(it.created_at / 1000).toISOString())).toEqual(
      moments.map((it: string) => it.replace('000Z', 'Z')),
    )
  })

  test('is charged once for every month that passed while no process ran', async () => {
    const purchase = await bought('2027-01-31T10:00:00Z')
    await purchase.api.control('POST', '/control/clock/freeze', { at: '2027-05-15T00:00:00Z' })
    expect(await paidOn(purchase.api, purchase.buyer)).toEqual([
      '2027-01-31T10:00',
      ...Array(3).fill('2027-05-15T00:00'),
    ])
    expect(await list(purchase)).toMatchObject([{ renews_at: '2027-05-31T10:00:00.000000Z' }])
    expect(await purchase.check()).toEqual([])
  })

  test('that cannot be paid is retried daily for three days, then the number is removed', async () => {
    const purchase = await bought('2027-01-15T10:00:00Z')
    await pay(purchase, 'pm_card_declined')
    await advance(purchase.api, '31d')
    expect(await list(purchase)).toMatchObject([{ has_active_subscription: true, ends_at: null }])
    expect(await purchase.read.selectFrom('subscription').select('status').execute()).toEqual([{ status: 'past_due' }])
    await advance(purchase.api, '71h')
    expect(await list(purchase)).toHaveLength(1)
    await advance(purchase.api, '1h')
    expect(await list(purchase)).toEqual([])
    expect(await purchase.events()).toEqual([
      { kind: 'number.purchased' },
      ...Array(4).fill({ kind: 'subscription.payment_failed' }),
    ])
    expect(await paidOn(purchase.api, purchase.buyer)).toEqual(['2027-01-15T10:00'])
    expect(await purchase.check()).toEqual([])
    await pay(purchase, 'pm_card_visa')
    expect(await purchase.api.buy(purchase.number.phone_number, purchase.buyer)).toMatchObject({ status: 201 })
  })

  test.each([0, 1, 2])('whose card is fixed %i days after the failure is active again', async (days) => {
    const purchase = await bought('2027-01-15T10:00:00Z')
    await pay(purchase, null)
    await advance(purchase.api, '31d')
    await advance(purchase.api, `${days * 24 + 1}h`)
    await pay(purchase, 'pm_card_visa')
    await advance(purchase.api, '24h')
    expect(await list(purchase)).toMatchObject([{ renews_at: '2027-03-15T10:00:00.000000Z' }])
    expect(await paidOn(purchase.api, purchase.buyer)).toEqual(['2027-01-15T10:00', `2027-02-${16 + days}T10:00`])
    await advance(purchase.api, '40d')
    expect(await paidOn(purchase.api, purchase.buyer)).toHaveLength(3)
    expect(await purchase.check()).toEqual([])
  })

  test('that failed while the platform was off for a month still has its grace period', async () => {
    const purchase = await bought('2027-01-15T10:00:00Z')
    await pay(purchase, 'pm_card_expired')
    await purchase.api.control('POST', '/control/clock/freeze', { at: '2027-03-01T00:00:00Z' })
    expect(await list(purchase)).toHaveLength(1)
    await pay(purchase, 'pm_card_visa')
    await advance(purchase.api, '24h')
    expect(await list(purchase)).toMatchObject([{ renews_at: '2027-03-15T10:00:00.000000Z' }])
    expect(await purchase.check()).toEqual([])
  })

  test('ends with its number at the end of the period: then the number is for sale again', async () => {
    const purchase = await bought('2027-01-31T10:00:00Z')
    const path = `/api/user/phone-numbers/${purchase.number.id}`
    const released = await purchase.api.ask('DELETE', path, purchase.buyer)
    expect(released.status).toBe(200)
    expect(released.body.message).toMatch(/It will be removed at the end of the billing period\.$/)
    expect(await purchase.api.ask('DELETE', path, purchase.buyer)).toMatchObject({
      status: 400,
      text: '{"error":"This phone number is already scheduled for removal."}',
    })
    expect(await list(purchase)).toMatchObject([{ ends_at: '2027-02-28T10:00:00.000000Z', renews_at: null }])
    const search = async () => (await purchase.api.ask('GET', '/api/user/phone-numbers/search', purchase.buyer)).text
    expect(await search()).not.toContain(purchase.number.phone_number)
    await advance(purchase.api, '27d')
    expect(await list(purchase)).toHaveLength(1)
    const { done } = await advance(purchase.api, '1d')
    expect(done).toMatchObject([
      { kind: 'release', subject: String(purchase.number.id), due_at: '2027-02-28T10:00:00.000000Z' },
    ])
    expect(await list(purchase)).toEqual([])
    expect(await paidOn(purchase.api, purchase.buyer)).toHaveLength(1)
    expect(await search()).toContain(purchase.number.phone_number)
    const other = await purchase.api.account()
    expect(await purchase.api.buy(purchase.number.phone_number, other)).toMatchObject({ status: 201 })
    expect(await purchase.api.ask('DELETE', path, purchase.buyer)).toMatchObject({ status: 404 })
    expect(await purchase.check()).toEqual([])
  })

  test('is paid once although its process lost the response, however late another retries', async () => {
    for (const pause of ['1h', '30h', '80h']) {
      let failures = 0
      const purchase = await bought('2027-01-15T10:00:00Z', async (step) => {
        if (step === 'payments.charge:after' && failures-- > 0) throw new Error('The line is dead.')
      })
      failures = 1
      // The clock is frozen between the lost attempt and the next: nothing else is due.
      await purchase.api.control('POST', '/control/clock/freeze', { at: '2027-02-15T10:00:00Z' })
      expect(await paidOn(purchase.api, purchase.buyer)).toHaveLength(1)
      const { now } = (await purchase.api.control('GET', '/control/clock')).body
      await purchase.api.control('POST', '/control/clock/freeze', {
        at: new Date(Date.parse(now) + Number.parseInt(pause, 10) * 3_600_000).toISOString(),
      })
      expect(await paidOn(purchase.api, purchase.buyer), pause).toHaveLength(2)
      expect(await purchase.check(), pause).toEqual([])
      expect(await list(purchase)).toMatchObject([{ renews_at: '2027-03-15T10:00:00.000000Z' }])
      await purchase.api.platform.close()
    }
  })

  test('cancelled at the moment of its renewal is not charged for the next month', async () => {
    let letGo: () => Promise<unknown> = async () => undefined
    const purchase = await bought('2027-01-15T10:00:00Z', async (step) => {
      if (step === 'payments.charge:after') await letGo()
    })
    letGo = () => purchase.api.ask('DELETE', `/api/user/phone-numbers/${purchase.number.id}`, purchase.buyer)
    await advance(purchase.api, '31d')
    expect(await list(purchase)).toEqual([])
    expect(await paidOn(purchase.api, purchase.buyer)).toHaveLength(1)
    expect(await purchase.check()).toEqual([])
  })

  test('cancelled after a renewal whose response was lost gets a refund for that month', async () => {
    let lost = 0
    const purchase = await bought('2027-01-15T10:00:00Z', async (step) => {
      if (step === 'payments.charge:after' && lost++ === 1) throw new Error('The answer was lost.')
    })
    await advance(purchase.api, '31d')
    expect(
      (await purchase.api.ask('DELETE', `/api/user/phone-numbers/${purchase.number.id}`, purchase.buyer)).status,
    ).toBe(200)
    await advance(purchase.api, '2h')
    expect(await list(purchase)).toEqual([])
    const charges = await purchase.read
      .selectFrom('local_charge')
      .select(['amount', 'refunded'])
      .orderBy('key')
      .execute()
    expect(charges.map((charge) => charge.refunded).sort()).toEqual([0, 1])
    expect(await purchase.read.selectFrom('due').selectAll().execute()).toEqual([])
    expect(await purchase.check()).toEqual([])
  })

  test('cancelled after a renewal stays until the payment processor accepts the refund', async () => {
    const refunds: string[] = []
    let lost = 0
    const purchase = await bought('2027-01-15T10:00:00Z', async (step) => {
      if (step === 'payments.charge:after' && lost++ === 1) throw new Error('The answer was lost.')
      if (!step.startsWith('payments.refund')) return
      refunds.push(step)
      // The processor does not know the charge during the first refund.
      const { write } = await tablesOf(purchase.place)
      const isUnknown = refunds.length === 1
      await write('everything', (query) =>
        query
          .updateTable('local_charge')
          .set((row) => ({ charge_id: isUnknown ? row.fn('upper', ['charge_id']) : row.fn('lower', ['charge_id']) }))
          .execute(),
      )
    })
    await advance(purchase.api, '31d')
    await purchase.api.ask('DELETE', `/api/user/phone-numbers/${purchase.number.id}`, purchase.buyer)
    await advance(purchase.api, '2h')
    expect(refunds.length).toBeGreaterThan(2)
    const charges = await purchase.read.selectFrom('local_charge').select('refunded').execute()
    expect(charges.map((charge) => charge.refunded).sort()).toEqual([0, 1])
    expect(await list(purchase)).toEqual([])
    expect(await purchase.check()).toEqual([])
  })

  test('is not charged by a job whose period another process has renewed', async () => {
    const purchase = await bought('2027-01-15T10:00:00Z')
    const { id: _, ...stale } = await purchase.read
      .selectFrom('due')
      .selectAll()
      .where('kind', '=', 'subscription')
      .executeTakeFirstOrThrow()
    await advance(purchase.api, '31d')
    const jobs = await purchase.read.selectFrom('due').selectAll().execute()
    // As a process does that read the job before it was stopped for a while.
    const { write } = await tablesOf(purchase.place)
    await write('everything', (query) => query.insertInto('due').values(stale).execute())
    await advance(purchase.api, '1h')
    expect(await paidOn(purchase.api, purchase.buyer)).toEqual(['2027-01-15T10:00', '2027-02-15T10:00'])
    expect(await purchase.read.selectFrom('local_charge').selectAll().execute()).toHaveLength(2)
    expect(await purchase.read.selectFrom('due').selectAll().execute()).toEqual(jobs)
    expect(await purchase.check()).toEqual([])
  })

  test('whose number the provider did not release is retried', async () => {
    let failures = 0
    const purchase = await bought('2027-01-31T10:00:00Z', async (step) => {
      if (step.startsWith('telephony.release') && failures-- > 0) throw new Error('The line is dead.')
    })
    await purchase.api.ask('DELETE', `/api/user/phone-numbers/${purchase.number.id}`, purchase.buyer)
    failures = 3
    await advance(purchase.api, '28d')
    await advance(purchase.api, '1d')
    expect(await list(purchase)).toEqual([])
    expect(await purchase.check()).toEqual([])
  })
})

describe.each(databases)('a number without a subscription on $name', (database) => {
  test('is removed immediately when it is released', async () => {
    const api = await openAt(await newPlace(database))
    const all = async () => (await api.ask('GET', '/api/user/phone-numbers/all')).body.data
    const before = await all()
    const line = before.find((it: { type: string }) => it.type === 'caller_id')
    expect(line).toMatchObject({ type_label: 'Caller ID', has_active_subscription: false, renews_at: null })
    expect(await api.ask('DELETE', `/api/user/phone-numbers/${line.id}`)).toMatchObject({
      status: 200,
      text: '{"message":"Phone number deleted successfully."}',
    })
    expect(await all()).toEqual(before.filter((it: { id: number }) => it.id !== line.id))
    expect(await api.ask('DELETE', `/api/user/phone-numbers/${line.id}`)).toMatchObject({
      status: 404,
      text: '{"error":"Phone number not found."}',
    })
  })
})
