import { parsePhoneNumberWithError } from 'libphonenumber-js/max'
import { describe, expect, test } from 'vitest'
import { failures } from '../../../../src/contract/errors/failures.ts'
import { localProviders } from '../../../../src/platform/providers/local/local-providers.ts'
import { testNumberOffer, testNumbers } from '../../../../src/platform/providers/local/test-numbers.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'

const number = (last: number) => `+1500555000${last}`

test('each test number is a valid number, described by a sentence and a known error', () => {
  for (const [phoneNumber, magic] of Object.entries(testNumbers)) {
    const judged = parsePhoneNumberWithError(phoneNumber)
    expect([judged.isValid(), judged.number]).toEqual([true, phoneNumber])
    expect(testNumberOffer(phoneNumber)?.formatted ?? judged.formatInternational()).toBe(judged.formatInternational())
    expect(magic.sentence).toMatch(/^[A-Z].*\.$/)
    if (magic.failure) expect(failures[magic.failure]).toBeDefined()
  }
})

test('an ordinary number is not a test number', () => {
  expect(testNumberOffer('+14155550123')).toBe(undefined)
  expect(testNumberOffer('+15005550005')).toBe(undefined)
})

describe.each(databases)('on the local providers over $name', (database) => {
  const opened = async () =>
    localProviders({ connection: await database.fresh(), seed: 'one', folder: temporaryFolder() })
  const pay = (about: number) => ({
    method: 'pm_card_visa',
    amount: 1_150_000,
    about: `Phone number ${number(about)}`,
    number: number(about),
  })

  test('0 is refused as in use, 2 because of a missing payment method, and 1 is not for sale', async () => {
    const { telephony } = await opened()
    expect(await telephony.find(number(0))).toMatchObject({ phoneNumber: number(0), refusal: 'in_use' })
    expect(await telephony.find(number(2))).toMatchObject({ phoneNumber: number(2), refusal: 'no_payment_method' })
    expect(await telephony.find(number(1))).toBe(null)
    for (const last of [0, 1, 2])
      expect(await telephony.order(`order ${last}`, number(last))).toMatchObject({ ok: false })
  })

  test('3 is for sale and its payment declines', async () => {
    const { telephony, payments } = await opened()
    expect(await telephony.find(number(3))).not.toHaveProperty('refusal')
    expect(await payments.charge('pay', pay(3))).toEqual({ ok: false, reason: 'The card was declined.' })
  })

  test('4 is paid, fails at the provider, and the payment can be refunded', async () => {
    const { telephony, payments } = await opened()
    expect(await telephony.find(number(4))).toMatchObject({ country: 'US' })
    const charged = await payments.charge('pay', pay(4))
    expect(await telephony.order('order', number(4))).toEqual({
      ok: false,
      reason: 'The provider could not set up the number.',
    })
    expect(charged.ok && (await payments.refund('back', charged.chargeId))).toEqual({ ok: true })
    expect(await telephony.find(number(4))).not.toBe(null)
  })

  test('6 succeeds, has one owner at a time, and can be bought again after a release', async () => {
    const { telephony, payments } = await opened()
    expect(await payments.charge('pay', pay(6))).toMatchObject({ ok: true })
    expect(await telephony.order('one', number(6))).toMatchObject({ ok: true })
    expect(await telephony.find(number(6))).toBe(null)
    expect(await telephony.order('two', number(6))).toMatchObject({ ok: false })
    await telephony.release('leave', number(6))
    expect(await telephony.order('three', number(6))).toMatchObject({ ok: true })
  })

  test('test numbers for sale are found only by a search for all their digits in their country, until they are bought', async () => {
    const { telephony } = await opened()
    const shown = async (contains: string, country: 'US' | 'CA' = 'US') =>
      (await telephony.search({ country, contains, limit: 50 })).map((it) => it.phoneNumber)
    expect(await shown('500555000')).toEqual([])
    expect(await shown('5005550006', 'CA')).toEqual([])
    for (const last of [2, 3, 4, 6]) expect(await shown(`500555000${last}`)).toEqual([number(last)])
    for (const last of [0, 1, 5]) expect(await shown(`500555000${last}`)).toEqual([])
    await telephony.order('one', number(6))
    expect(await shown('5005550006')).toEqual([])
    await telephony.release('leave', number(6))
    expect(await shown('5005550006')).toEqual([number(6)])
  })
})
