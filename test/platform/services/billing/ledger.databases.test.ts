import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  charge,
  recordCardPayment,
  refundByReference,
  topUp,
  toUnits,
} from '../../../../src/platform/services/billing/ledger.ts'
import { type AccountRow, findAccount, insertAccount } from '../../../../src/platform/store/accounts/accounts.ts'
import { listLedger } from '../../../../src/platform/store/billing/ledger.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import { databases } from '../../../support/databases.ts'

const now = 1
const makeAccount = (connection: Connection, fields: Partial<AccountRow> = {}) =>
  connection.write('rows', (query) =>
    insertAccount(query, {
      name: 'A',
      email: 'a@b.example',
      kind: 'tenant',
      balance: 0,
      minute_rate: 100_000,
      payment_method: null,
      created_at: 0,
      ...fields,
    }),
  )
const balance = async ({ read }: Connection, { id }: AccountRow) => (await findAccount(read, id))?.balance

describe('an amount of money', () => {
  test('is in credits for a tenant, one per USD', () => {
    for (const amount of [0, 1, 10_000, 1_150_000, Number.MAX_SAFE_INTEGER])
      expect(toUnits({ kind: 'tenant', minute_rate: 100_000 }, amount)).toBe(amount)
  })

  test.each([
    [100_000, 10_000, 100_000],
    [100_000, 1_000_000, 10_000_000],
    [300_000, 1_000_000, 3_333_334],
    [300_000, 300_000, 1_000_000],
    [300_000, 1, 4],
    [70_000, 10_000, 142_858],
    [1_000_000_000, 1, 1],
    [1_000_000_000, 0, 0],
    [1, 9_000_000_000, 9_000_000_000_000_000],
  ])(
    'is in minutes for a direct account, rounded up to the millionth: at %i per minute, %i is %i',
    (minute_rate, amount, units) => {
      expect(toUnits({ kind: 'direct', minute_rate }, amount)).toBe(units)
    },
  )

  test('is never rounded down, and at most a millionth too high', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000_000 }),
        fc.integer({ min: 0, max: 1_000_000_000 }),
        (minute_rate, amount) => {
          const paid = BigInt(toUnits({ kind: 'direct', minute_rate }, amount)) * BigInt(minute_rate)
          const due = BigInt(amount) * 1_000_000n
          expect(paid >= due && paid - due < BigInt(minute_rate)).toBe(true)
        },
      ),
      { seed: Date.now() },
    )
  })
})

describe.each(databases)('the ledger on $name', (database) => {
  test('records each amount in the unit of the account, and the balance after it', async () => {
    const connection = await database.fresh()
    const tenant = await makeAccount(connection)
    const direct = await makeAccount(connection, { kind: 'direct', minute_rate: 300_000 })
    for (const account of [tenant, direct])
      await connection.write({ account: account.id }, async (query) => {
        await topUp(query, account, 5_000_000, { reason: 'Top-up', now })
        expect(await charge(query, account, 10_000, { reason: 'A message', reference: 'message', now })).toBe(true)
        await refundByReference(query, account, 'message', { reason: 'It failed', now })
      })
    const lines = async ({ id }: AccountRow) =>
      (await listLedger(accountQuery(connection.read, id))).map(({ kind, unit, amount, balance_after }) => [
        kind,
        unit,
        amount,
        balance_after,
      ])
    expect(await lines(tenant)).toEqual([
      ['top_up', 'credit', 5_000_000, 5_000_000],
      ['charge', 'credit', -10_000, 4_990_000],
      ['refund', 'credit', 10_000, 5_000_000],
    ])
    expect(await lines(direct)).toEqual([
      ['top_up', 'minute', 5_000_000, 5_000_000],
      ['charge', 'minute', -33_334, 4_966_666],
      ['refund', 'minute', 33_334, 5_000_000],
    ])
  })

  test('charges up to the last cent; a refused charge leaves no entry', async () => {
    const connection = await database.fresh()
    const account = await makeAccount(connection)
    const take = (amount: number) =>
      connection.write({ account: account.id }, (query) =>
        charge(query, account, amount, { reason: 'x', reference: `take ${amount}`, now }),
      )
    await connection.write({ account: account.id }, (query) => topUp(query, account, 10_000, { reason: 'Top-up', now }))
    expect(await take(10_001)).toBe(false)
    expect(await listLedger(accountQuery(connection.read, account.id))).toHaveLength(1)
    expect(await take(10_000)).toBe(true)
    expect(await balance(connection, account)).toBe(0)
    expect(await take(1)).toBe(false)
    // Once refused is not booked: the same may be asked again when there is money.
    await connection.write({ account: account.id }, (query) => topUp(query, account, 1, { reason: 'Top-up', now }))
    expect(await take(1)).toBe(true)
  })

  test.each(['tenant', 'direct'] as const)(
    'never goes below zero with fifty concurrent charges of a %s',
    async (kind) => {
      const connection = await database.fresh()
      const account = await makeAccount(connection, { kind, minute_rate: 1_000_000 })
      await connection.write({ account: account.id }, (query) =>
        topUp(query, account, 205_000, { reason: 'Top-up', now }),
      )
      const taken = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          connection.write({ account: account.id }, (query) =>
            charge(query, account, 10_000, { reason: 'x', reference: `m${n}`, now }),
          ),
        ),
      )
      expect(taken.filter((it) => it)).toHaveLength(20)
      expect(await balance(connection, account)).toBe(5000)
      const lines = await listLedger(accountQuery(connection.read, account.id))
      expect(lines).toHaveLength(21)
      expect(lines.every((it) => (it.balance_after as number) >= 0)).toBe(true)
    },
  )

  test('books a movement with a reference once, also when it is repeated or concurrent', async () => {
    const connection = await database.fresh()
    const [account, other] = [await makeAccount(connection), await makeAccount(connection)]
    for (const owner of [account, other])
      await connection.write({ account: owner.id }, (query) =>
        topUp(query, owner, 100_000, { reason: 'Top-up', reference: 'first', now }),
      )
    const again = Array.from({ length: 20 }, () =>
      connection.write({ account: account.id }, (query) =>
        charge(query, account, 10_000, { reason: 'x', reference: 'once', now }),
      ),
    )
    expect(await Promise.all(again)).toEqual(Array(20).fill(true))
    await connection.write({ account: account.id }, (query) =>
      topUp(query, account, 100_000, { reason: 'Top-up', reference: 'first', now }),
    )
    expect(await balance(connection, account)).toBe(90_000)
    // Another account has references of its own.
    expect(
      await connection.write({ account: other.id }, (query) =>
        charge(query, other, 10_000, { reason: 'x', reference: 'once', now }),
      ),
    ).toBe(true)
    expect(await balance(connection, other)).toBe(90_000)
  })

  test('books a card payment once, without changing the balance', async () => {
    const connection = await database.fresh()
    const account = await makeAccount(connection)
    for (let n = 0; n < 3; n++) {
      await connection.write({ account: account.id }, (query) =>
        recordCardPayment(query, account.id, -1_150_000, { reason: 'A number', reference: 'c', now }),
      )
      await connection.write({ account: account.id }, (query) =>
        recordCardPayment(query, account.id, 1_150_000, { reason: 'Refund', reference: 'r', now }),
      )
    }
    expect(await listLedger(accountQuery(connection.read, account.id))).toMatchObject([
      { kind: 'card_charge', unit: 'usd', amount: -1_150_000, balance_after: null },
      { kind: 'card_refund', unit: 'usd', amount: 1_150_000, balance_after: null },
    ])
    expect(await balance(connection, account)).toBe(0)
  })

  test('adds up to the balance after any concurrent movements', async () => {
    const connection = await database.fresh()
    const seed = Date.now()
    const movement = fc.record({
      kind: fc.constantFrom('top_up', 'charge', 'refund', 'card'),
      amount: fc.integer({ min: 1, max: 3_000_000 }),
      reference: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
    })
    const kinds = fc.record({
      kind: fc.constantFrom('tenant' as const, 'direct' as const),
      minute_rate: fc.integer({ min: 1000, max: 2_000_000 }),
    })
    await fc.assert(
      fc.asyncProperty(kinds, fc.array(movement, { maxLength: 15 }), async (fields, movements) => {
        const account = await makeAccount(connection, fields)
        await Promise.all(
          movements.map(({ kind, amount, reference }, n) =>
            connection.write({ account: account.id }, async (query) => {
              const more = { reason: 'x', now, ...(reference !== undefined && { reference }) }
              if (kind === 'top_up') await topUp(query, account, amount, more)
              else if (kind === 'charge')
                await charge(query, account, amount, { ...more, reference: reference ?? `charge ${n}` })
              else if (kind === 'refund')
                await refundByReference(query, account, reference ?? 'a', { ...more, reference: `back ${reference}` })
              else await recordCardPayment(query, account.id, -amount, { ...more, reference: reference ?? `card ${n}` })
            }),
          ),
        )
        const lines = (await listLedger(accountQuery(connection.read, account.id))).filter((it) => it.unit !== 'usd')
        expect(await balance(connection, account)).toBe(lines.reduce((sum, it) => sum + it.amount, 0))
        expect(lines.every((it) => (it.balance_after ?? -1) >= 0)).toBe(true)
      }),
      { seed, numRuns: 15 },
    )
  })
})
