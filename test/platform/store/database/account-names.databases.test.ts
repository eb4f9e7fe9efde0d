import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { deleteKey, findKeyOwner, insertAccount, insertKey } from '../../../../src/platform/store/accounts/accounts.ts'
import type { NameKind } from '../../../../src/platform/store/accounts/tables.ts'
import { insertAssistant, setAssistantUuid } from '../../../../src/platform/store/assistants/assistants.ts'
import {
  deleteAutomation,
  findAutomationWithHash,
  insertAutomation,
} from '../../../../src/platform/store/automations/automations.ts'
import {
  findActivePurchase,
  releasePurchase,
  reservePurchase,
  transitionPurchase,
} from '../../../../src/platform/store/billing/purchases.ts'
import { findAssistantOwner } from '../../../../src/platform/store/conversations/conversations.ts'
import { countWrongNames, rebuildNames } from '../../../../src/platform/store/database/account-names.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import { checkNames, rebuildChecked } from '../../../../src/platform/store/database/check-integrity.ts'
import type { AccountQuery, Connection } from '../../../../src/platform/store/database/connection.ts'
import { eraseAccount, eraseDatabase } from '../../../../src/platform/store/database/erase-data.ts'
import { deleteNumber, insertNumber, isNumberOwned } from '../../../../src/platform/store/numbers/numbers.ts'
import { databases } from '../../../support/databases.ts'

const phone = '+14155550142'
const uuid = '00000000-0000-4000-9000-000000000001'

const key = (account_id: number, hash = 'hash') => ({
  account_id,
  name: 'a key',
  hash,
  last_used_at: null,
  created_at: 0,
})
const number = (account_id: number, type: 'normal' | 'sip' = 'normal') => ({
  account_id,
  phone_number: phone,
  country_code: 'US',
  region: null,
  type,
  sms_capable: 1,
  nickname: null,
  created_at: 0,
})
const purchase = (account_id: number, idempotency_key: string | null = null) => ({
  account_id,
  phone_number: phone,
  state: 'reserved' as const,
  idempotency_key,
  country_code: 'US',
  region: null,
  sms_capable: 1,
  price: 1,
  price_id: 'price',
  charge_id: null,
  order_sid: null,
  number_id: null,
  failure: null,
  created_at: 0,
  updated_at: 0,
})
const automation = (account_id: number, id = 'automation1') => ({
  id,
  account_id,
  name: 'Flow',
  status: 'enabled' as const,
  created_at: 0,
  updated_at: 0,
})
const assistant = (account_id: number, own = uuid) => ({
  account_id,
  uuid: own,
  name: 'Desk',
  type: 'outbound' as const,
  mode: 'pipeline' as const,
  status: 'inactive' as const,
  settings: '{}',
  created_at: 0,
  updated_at: 0,
  deleted_at: null,
})

// No server of an earlier version uses Citus: a name without a row, or another account, is not looked for on all shards.
const isSharded = process.env.PARLEY_TEST_CITUS !== undefined

describe.each(databases)('names that are unique over all accounts on $name', (database) => {
  let store: Connection
  afterEach(() => store.close())

  async function opened(): Promise<void> {
    store = await database.fresh()
    for (const name of ['ours', 'theirs'])
      await store.write('everything', (query) =>
        insertAccount(query, {
          name,
          email: '',
          kind: 'tenant',
          balance: 5,
          minute_rate: 0,
          payment_method: null,
          created_at: 0,
        }),
      )
  }
  const names = async (kind: NameKind) =>
    (await store.read.selectFrom('account_name').select(['name', 'account']).where('kind', '=', kind).execute()).map(
      (row) => `${row.name} of ${row.account}`,
    )
  const as = <T>(account: number, body: (query: AccountQuery) => Promise<T>): Promise<T> =>
    store.write({ account }, body)

  it.each<readonly [NameKind, string, (account: number) => (query: AccountQuery) => Promise<unknown>]>([
    ['api_key', 'hash', (account) => (query) => insertKey(query, key(account))],
    ['phone_number', phone, (account) => (query) => insertNumber(query, number(account))],
    ['automation', 'automation1', (account) => (query) => insertAutomation(query, automation(account))],
    ['assistant', uuid, (account) => (query) => insertAssistant(query, assistant(account))],
  ])('a %s of one account cannot be one of another', async (kind, name, insert) => {
    await opened()
    await as(1, insert(1))
    await expect(as(2, insert(2))).rejects.toThrow(`Another row of ${kind} has this`)
    await expect(as(1, insert(1))).rejects.toThrow(`Another row of ${kind} has this`)
    expect(await names(kind)).toEqual([`${name} of 1`])
    expect(await store.read.selectFrom(kind).select('account_id').execute()).toEqual([{ account_id: 1 }])
    expect(await countWrongNames(store.read)).toBe(0)
  })

  it('a name that two transactions take at once belongs to one of them', async () => {
    await opened()
    const taken = await Promise.allSettled([1, 2].map((it) => as(it, (query) => insertNumber(query, number(it)))))
    expect(taken.map((it) => it.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await names('phone_number')).toHaveLength(1)
    expect(await countWrongNames(store.read)).toBe(0)
  })

  it('a name of a transaction that fails is free', async () => {
    await opened()
    await expect(
      as(1, async (query) => {
        await insertKey(query, key(1))
        throw new Error('The transaction fails.')
      }),
    ).rejects.toThrow('The transaction fails.')
    expect(await names('api_key')).toEqual([])
    await as(2, (query) => insertKey(query, key(2)))
  })

  it('numbers are released and bought again by another account, and SIP extensions have no name', async () => {
    await opened()
    const { id } = await as(1, (query) => insertNumber(query, number(1)))
    expect(await isNumberOwned(store, phone)).toBe(true)
    for (const account of [1, 2]) await as(account, (query) => insertNumber(query, number(account, 'sip')))
    await as(1, (query) => deleteNumber(query, id))
    expect(await isNumberOwned(store, phone)).toBe(false)
    const again = await as(2, (query) => insertNumber(query, number(2)))
    expect(await names('phone_number')).toEqual([`${phone} of 2`])
    // The extension of the other account has the same digits, and is deleted without the name.
    const sip = await store.read.selectFrom('phone_number').select('id').where('account_id', '=', 1).execute()
    for (const extension of sip) await as(1, (query) => deleteNumber(query, extension.id))
    expect(await names('phone_number')).toEqual([`${phone} of 2`])
    await as(1, (query) => deleteNumber(query, again.id))
    expect(await names('phone_number')).toEqual([`${phone} of 2`])
    expect(await countWrongNames(store.read)).toBe(0)
  })

  it('a purchase holds its number until it fails, is refunded or released', async () => {
    await opened()
    const reserve = (account: number, idempotencyKey?: string) =>
      as(account, (query) => reservePurchase(query, purchase(account, idempotencyKey)))
    const move = (account: number, id: number, from: 'reserved' | 'paid', state: 'paid' | 'owned' | 'declined') =>
      as(account, (query) => transitionPurchase(query, id, from, { state, number_id: state === 'owned' ? 7 : null }))
    const first = await reserve(1, 'once')
    expect(await reserve(2)).toBeUndefined()
    expect(await findActivePurchase(store, phone)).toMatchObject({ account_id: 1 })
    await move(1, first?.id ?? 0, 'reserved', 'declined')
    expect(await findActivePurchase(store, phone)).toBeUndefined()
    // The same idempotency key: nothing is reserved, and the number stays free.
    expect(await reserve(1, 'once')).toBeUndefined()
    expect(await names('purchase')).toEqual([])
    const second = await reserve(2)
    await move(2, second?.id ?? 0, 'reserved', 'paid')
    await move(2, second?.id ?? 0, 'paid', 'owned')
    expect(await reserve(1)).toBeUndefined()
    await as(2, (query) => releasePurchase(query, 7, 0))
    expect(await reserve(1)).toMatchObject({ account_id: 1 })
    expect(await names('purchase')).toEqual([`${phone} of 1`])
    expect(await countWrongNames(store.read)).toBe(0)
  })

  // On SQLite, transactions run one after the other; on Citus, so do those that write a table with a copy on every node.
  it.runIf(database.name === 'postgres' && !isSharded)(
    'a name without a row is taken by only one of two accounts that want it together',
    async () => {
      await opened()
      await store.write('everything', async (query) => {
        // Without the index, as in a later release, the name alone decides.
        await sql`drop index purchase_live`.execute(query)
        await query.insertInto('account_name').values({ kind: 'purchase', name: phone, account: 1 }).execute()
      })
      const waiting = async () =>
        (
          await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
            store.read,
          )
        ).rows.length
      const reserved: Promise<unknown>[] = []
      // Both have seen that the name exists before either looks for its row.
      await store.write({ name: 'holder' }, async (query) => {
        await sql`lock table purchase in access exclusive mode`.execute(query)
        for (const account of [1, 2]) {
          reserved.push(as(account, (own) => reservePurchase(own, purchase(account))))
          await expect.poll(waiting).toBe(account)
        }
      })
      expect((await Promise.all(reserved)).filter((it) => it !== undefined)).toHaveLength(1)
    },
  )

  it('a deleted key, a deleted automation and the earlier UUID of an assistant leave no name', async () => {
    await opened()
    const { id } = await as(1, (query) => insertKey(query, key(1)))
    await as(1, (query) => insertAutomation(query, automation(1)))
    const desk = await as(1, (query) => insertAssistant(query, assistant(1)))
    expect(await deleteKey(store, 2, id)).toBe(false)
    expect(await findKeyOwner(store, id, 'hash')).toMatchObject({ id, account: { id: 1 } })
    expect(await deleteKey(store, 1, id)).toBe(true)
    expect(await findKeyOwner(store, id, 'hash')).toBeUndefined()
    expect(await findAutomationWithHash(store, 'automation1')).toMatchObject({ account_id: 1 })
    await as(1, (query) => deleteAutomation(query, 'automation1'))
    expect(await findAutomationWithHash(store, 'automation1')).toBeUndefined()
    const next = uuid.replace(/1$/, '2')
    await as(1, (query) => setAssistantUuid(query, desk.id, next))
    expect(await findAssistantOwner(store, uuid)).toBeUndefined()
    expect(await findAssistantOwner(store, next)).toMatchObject({ id: 1 })
    expect([await names('api_key'), await names('automation'), await names('assistant')]).toEqual([
      [],
      [],
      [`${next} of 1`],
    ])
    expect(await countWrongNames(store.read)).toBe(0)
  })

  it.skipIf(isSharded)(
    'a row that a server of an earlier version inserts is found, and its name is stored then',
    async () => {
      await opened()
      const { id } = await store.write('rows', (query) =>
        query.insertInto('api_key').values(key(2)).returning('id').executeTakeFirstOrThrow(),
      )
      await store.write('rows', (query) => query.insertInto('automation').values(automation(2)).execute())
      expect(await checkNames(store.read)).toEqual({ list: 'account_name', wrong: 2 })
      await expect(as(1, (query) => insertKey(query, key(1)))).rejects.toThrow()
      expect(await findKeyOwner(store, id, 'another hash')).toBeUndefined()
      expect(await findKeyOwner(store, id, 'hash')).toMatchObject({ account: { id: 2 } })
      expect(await names('api_key')).toEqual(['hash of 2'])
      expect(await findAutomationWithHash(store, 'automation1')).toMatchObject({ account_id: 2 })
      expect(await countWrongNames(store.read)).toBe(0)
    },
  )

  it('a name whose row a server of an earlier version has deleted is free', async () => {
    await opened()
    await as(1, (query) => insertNumber(query, number(1)))
    expect(await isNumberOwned(store, phone)).toBe(true)
    await store.write('rows', (query) => query.deleteFrom('phone_number').execute())
    expect(await isNumberOwned(store, phone)).toBe(false)
    expect(await checkNames(store.read)).toEqual({ list: 'account_name', wrong: 1 })
    await as(2, (query) => insertNumber(query, number(2)))
    expect(await names('phone_number')).toEqual([`${phone} of 2`])
    expect(await isNumberOwned(store, phone)).toBe(true)
    expect(await countWrongNames(store.read)).toBe(0)
  })

  it.skipIf(isSharded)('a name that moved to another account is found there', async () => {
    await opened()
    const first = await as(1, (query) => insertKey(query, key(1)))
    expect(await findKeyOwner(store, first.id, 'hash')).toMatchObject({ account: { id: 1 } })
    await deleteKey(store, 1, first.id)
    const second = await as(2, (query) => insertKey(query, key(2)))
    expect(await findKeyOwner(store, second.id, 'hash')).toMatchObject({ account: { id: 2 } })
    expect(await findKeyOwner(store, second.id, 'hash')).toMatchObject({ account: { id: 2 } })
  })

  it('an erased account has no names, nor has an erased database', async () => {
    await opened()
    for (const account of [1, 2]) {
      await as(account, (query) => insertKey(query, key(account, `hash ${account}`)))
      await as(account, (query) => insertAutomation(query, automation(account, `automation${account}`)))
    }
    await store.write('everything', (query) => eraseAccount(query, store.dialect, 1))
    expect(await names('api_key')).toEqual(['hash 2 of 2'])
    expect(await countWrongNames(store.read)).toBe(0)
    await store.write('everything', (query) => eraseDatabase(query, store.dialect))
    expect(await names('api_key')).toEqual([])
  })

  it.skipIf(isSharded)('a check reports names that differ from the rows, and stores them again', async () => {
    await opened()
    await as(1, (query) => insertKey(query, key(1)))
    await as(1, (query) => insertNumber(query, number(1)))
    await store.write('everything', async (query) => {
      await query.updateTable('account_name').set({ account: 2 }).where('kind', '=', 'api_key').execute()
      await query.deleteFrom('account_name').where('kind', '=', 'phone_number').execute()
      await query.insertInto('account_name').values({ kind: 'assistant', name: uuid, account: 1 }).execute()
    })
    // A wrong account leads nowhere: the key is found all the same.
    expect(await findKeyOwner(store, 1, 'hash')).toMatchObject({ account: { id: 1 } })
    expect(await countWrongNames(store.read)).toBe(2)
    expect(await store.write('everything', rebuildChecked)).toContainEqual({ list: 'account_name', wrong: 2 })
    expect(await countWrongNames(store.read)).toBe(0)
    await store.write('everything', rebuildNames)
    expect(await names('phone_number')).toEqual([`${phone} of 1`])
    expect(await accountQuery(store.read, 1).selectFrom('account_name').selectAll().execute()).toHaveLength(2)
  })
})
