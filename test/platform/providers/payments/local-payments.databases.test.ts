import { describe, expect, test } from 'vitest'
import { countries } from '../../../../src/contract/values/countries.ts'
import { IdempotencyKeyReused } from '../../../../src/platform/providers/local/idempotent-request.ts'
import { localPayments, paymentMethods } from '../../../../src/platform/providers/payments/local-payments.ts'
import { databases } from '../../../support/databases.ts'

const month = { method: 'pm_card_visa', amount: 1_150_000, about: 'Phone number +14155552671, one month' }

describe.each(databases)('the local payment processor on $name', (database) => {
  const opened = async () => {
    const connection = await database.fresh()
    return {
      connection,
      payments: localPayments({ connection }),
      booked: () => connection.read.selectFrom('local_charge').selectAll().execute(),
    }
  }

  test('describes in one sentence that it is local', async () => {
    const { payments } = await opened()
    expect(payments.name).toBe('local')
    expect(payments.description).toMatch(/^[A-Z].*\.$/)
  })

  test('has a price in whole cents with an identifier for every country', async () => {
    const { payments } = await opened()
    const all = countries.map((country) => payments.price(country))
    expect(payments.price('US').amount).toBe(1_150_000)
    expect(all.every(({ amount }) => amount % 10_000 === 0 && amount >= 1_000_000 && amount < 10_000_000)).toBe(true)
    expect(new Set(all.map(({ priceId }) => priceId)).size).toBe(countries.length)
  })

  test('charges once for twenty concurrent requests with the same key, for each of thirty keys', async () => {
    const { payments, booked } = await opened()
    const keys = [...Array(30)].map((_, at) => `once-${at}`)
    for (const key of keys) {
      const answers = await Promise.all([...Array(20)].map(() => payments.charge(key, month)))
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      expect(answers[0]).toMatchObject({ ok: true, chargeId: expect.stringMatching(/^ch_/) })
    }
    expect((await booked()).map(({ key }) => key).sort()).toEqual(keys.sort())
    expect(await booked()).toMatchObject(keys.map(() => ({ amount: 1_150_000, refunded: 0 })))
  })

  test('repeats the first result for the same key after the payment method was changed', async () => {
    const { payments, booked } = await opened()
    const first = await payments.charge('once', month)
    expect(await payments.charge('once', { ...month, method: 'pm_card_declined' })).toEqual(first)
    expect(await booked()).toMatchObject([{ method: 'pm_card_visa' }])
  })

  test('rejects the same key with another amount or purpose', async () => {
    const { payments, booked } = await opened()
    await payments.charge('once', month)
    await expect(payments.charge('once', { ...month, amount: 2_000_000 })).rejects.toThrow(IdempotencyKeyReused)
    await expect(payments.charge('once', { ...month, about: 'Something else' })).rejects.toThrow(IdempotencyKeyReused)
    expect(await booked()).toHaveLength(1)
  })

  test.each(Object.entries(paymentMethods))('%s declines with: %s', async (method, reason) => {
    const { payments } = await opened()
    expect(await payments.charge('try', { ...month, method })).toMatchObject(
      reason === null ? { ok: true } : { ok: false, reason },
    )
  })

  test('declines an unknown method, also one named like a JavaScript property', async () => {
    const { payments } = await opened()
    expect(await payments.charge('one', { ...month, method: 'pm_unknown' })).toEqual({
      ok: false,
      reason: 'Unknown payment method "pm_unknown".',
    })
    expect(await payments.charge('two', { ...month, method: 'toString' })).toMatchObject({ ok: false })
  })

  test('declines a declined key again, and charges under a new key', async () => {
    const { payments } = await opened()
    const declined = await payments.charge('first', { ...month, method: 'pm_card_declined' })
    expect(await payments.charge('first', { ...month, method: 'pm_card_declined' })).toEqual(declined)
    expect(await payments.charge('second', month)).toMatchObject({ ok: true })
  })

  test('refunds a charge once, however often it is requested', async () => {
    const { payments, booked } = await opened()
    const charged = await payments.charge('once', month)
    const chargeId = charged.ok ? charged.chargeId : ''
    const answers = await Promise.all(['back', 'back', 'again'].map((key) => payments.refund(key, chargeId)))
    expect(answers).toEqual([{ ok: true }, { ok: true }, { ok: true }])
    expect(await booked()).toMatchObject([{ refunded: 1 }])
    expect(await payments.charge('once', month)).toEqual(charged)
  })

  test('does not refund an unknown charge', async () => {
    const { payments } = await opened()
    expect(await payments.refund('back', 'ch_unknown')).toEqual({ ok: false, reason: 'Charge not found: ch_unknown.' })
  })

  test.each([0, -1, 1.5, Number.NaN])('does not accept %s as an amount', async (amount) => {
    const { payments, booked } = await opened()
    await expect(payments.charge('odd', { ...month, amount })).rejects.toThrow(RangeError)
    expect(await booked()).toEqual([])
  })
})
