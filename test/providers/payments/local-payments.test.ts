import { describe, expect, test } from 'vitest'
import { countries } from '../../../src/contract/values/countries.ts'
import { IdempotencyKeyReused } from '../../../src/providers/local/idempotency-key-reused.ts'
import { localPayments } from '../../../src/providers/payments/local-payments.ts'
import { paymentMethods } from '../../../src/providers/payments/payment-methods.ts'
import { databases } from '../../support/databases.ts'

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

  test('says that it is local and in one sentence what that means', async () => {
    const { payments } = await opened()
    expect(payments.name).toBe('local')
    expect(payments.description).toMatch(/^[A-Z].*\.$/)
  })

  test('has a price for every country: whole micro-dollars, in cents at the finest, each with an identifier', async () => {
    const { payments } = await opened()
    const all = countries.map((country) => payments.price(country))
    expect(payments.price('US').amount).toBe(1_150_000)
    expect(all.every(({ amount }) => amount % 10_000 === 0 && amount >= 1_000_000 && amount < 10_000_000)).toBe(true)
    expect(new Set(all.map(({ priceId }) => priceId)).size).toBe(countries.length)
  })

  test('charges once when the same key comes twenty times at once', async () => {
    const { payments, booked } = await opened()
    const answers = await Promise.all([...Array(20)].map(() => payments.charge('once', month)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toMatchObject({ ok: true, chargeId: expect.stringMatching(/^ch_/) })
    expect(await booked()).toMatchObject([{ key: 'once', amount: 1_150_000, refunded: 0 }])
  })

  test('answers a key that comes back after the method was changed as it did the first time', async () => {
    const { payments, booked } = await opened()
    const first = await payments.charge('once', month)
    expect(await payments.charge('once', { ...month, method: 'pm_card_declined' })).toEqual(first)
    expect(await booked()).toMatchObject([{ method: 'pm_card_visa' }])
  })

  test('rejects a key that comes back with another amount or purpose', async () => {
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

  test('declines a method that is not on file, also one named like a part of the language', async () => {
    const { payments } = await opened()
    expect(await payments.charge('one', { ...month, method: 'pm_unknown' })).toEqual({
      ok: false,
      reason: 'Unknown payment method "pm_unknown".',
    })
    expect(await payments.charge('two', { ...month, method: 'toString' })).toMatchObject({ ok: false })
  })

  test('says declined again for a declined key, and charges under a new one', async () => {
    const { payments } = await opened()
    const declined = await payments.charge('first', { ...month, method: 'pm_card_declined' })
    expect(await payments.charge('first', { ...month, method: 'pm_card_declined' })).toEqual(declined)
    expect(await payments.charge('second', month)).toMatchObject({ ok: true })
  })

  test('gives a charge back once, however often it is asked', async () => {
    const { payments, booked } = await opened()
    const charged = await payments.charge('once', month)
    const chargeId = charged.ok ? charged.chargeId : ''
    const answers = await Promise.all(['back', 'back', 'again'].map((key) => payments.refund(key, chargeId)))
    expect(answers).toEqual([{ ok: true }, { ok: true }, { ok: true }])
    expect(await booked()).toMatchObject([{ refunded: 1 }])
    expect(await payments.charge('once', month)).toEqual(charged)
  })

  test('does not give back a charge it never made', async () => {
    const { payments } = await opened()
    expect(await payments.refund('back', 'ch_unknown')).toEqual({ ok: false, reason: 'Charge not found: ch_unknown.' })
  })

  test.each([0, -1, 1.5, Number.NaN])('does not take %s as an amount', async (amount) => {
    const { payments, booked } = await opened()
    await expect(payments.charge('odd', { ...month, amount })).rejects.toThrow(RangeError)
    expect(await booked()).toEqual([])
  })
})
