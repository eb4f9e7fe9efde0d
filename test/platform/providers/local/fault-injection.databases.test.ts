import { describe, expect, test } from 'vitest'
import type { InjectionPoint } from '../../../../src/platform/providers/local/fault-injection.ts'
import { localProviders } from '../../../../src/platform/providers/local/local-providers.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'

const charge = { method: 'pm_card_visa', amount: 1_150_000, about: 'Phone number +15005550006', number: '+15005550006' }

describe.each(databases)('a gate of the local providers over $name', (database) => {
  test('is passed before and after every step, in order', async () => {
    const steps: InjectionPoint[] = []
    const { telephony, payments } = localProviders({
      connection: await database.fresh(),
      seed: 'one',
      folder: temporaryFolder(),
      gate: async (step) => void steps.push(step),
    })
    await telephony.search({ country: 'US', limit: 1 })
    await telephony.find(charge.number)
    const charged = await payments.charge('pay', charge)
    await telephony.order('order', charge.number)
    await telephony.release('release', charge.number)
    if (charged.ok) await payments.refund('refund', charged.chargeId)
    const names = [
      'telephony.search',
      'telephony.find',
      'payments.charge',
      'telephony.order',
      'telephony.release',
      'payments.refund',
    ]
    expect(steps).toEqual(names.flatMap((name) => [`${name}:before`, `${name}:after`]))
  })

  test('can fail a step before or after it happens; after it, a retry returns its result', async () => {
    const connection = await database.fresh()
    const broken = (at: InjectionPoint) =>
      localProviders({
        connection,
        seed: 'one',
        folder: temporaryFolder(),
        gate: async (step) => (step === at ? Promise.reject(new Error('gone')) : undefined),
      })
    const whole = localProviders({ connection, seed: 'one', folder: temporaryFolder() })

    await expect(broken('telephony.order:before').telephony.order('order', charge.number)).rejects.toThrow('gone')
    expect(await whole.telephony.find(charge.number)).not.toBe(null)

    await expect(broken('telephony.order:after').telephony.order('order', charge.number)).rejects.toThrow('gone')
    expect(await whole.telephony.find(charge.number)).toBe(null)
    expect(await whole.telephony.order('order', charge.number)).toMatchObject({ ok: true })

    await expect(broken('payments.charge:after').payments.charge('pay', charge)).rejects.toThrow('gone')
    expect(await whole.payments.charge('pay', charge)).toMatchObject({ ok: true })
    expect(await connection.read.selectFrom('local_charge').selectAll().execute()).toHaveLength(1)
  })
})
