// Queries of accounts and API keys. A key is stored as the hash of its secret only. Every request reads its key here, with
// queries that are compiled once.

import type { Insertable, Selectable, Updateable } from 'kysely'
import type { ContactHours } from '../../../contract/resources/contacts.ts'
import { crypto } from '../../../node/crypto.ts'
import { parseJson } from '../../../node/json.ts'
import { findNamed, readNamed, releaseName, requireName } from '../database/account-names.ts'
import { compiledQuery } from '../database/compiled-query.ts'
import type { AccountQuery, Connection, PlatformQuery, Query } from '../database/connection.ts'
import { StoreError } from '../database/store-error.ts'
import type { AccountTable, ApiKeyTable } from './tables.ts'

/** Row of an account. Its balance is in millionths, and only the ledger changes it. */
export type AccountRow = Selectable<AccountTable>

/** Email of an account that was created without one. Rows have it, and nothing compares with it. */
export const unknownEmail = 'owner@account.example'

/** Inserts an account. */
export const insertAccount = async (query: PlatformQuery, account: Insertable<AccountTable>): Promise<AccountRow> =>
  query.insertInto('account').values(account).returningAll().executeTakeFirstOrThrow()

/** Returns an account. */
export const findAccount = (query: Query, id: number): Promise<AccountRow | undefined> =>
  query.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns all accounts in the order of ids. */
export const listAccounts = (query: PlatformQuery): Promise<AccountRow[]> =>
  query.selectFrom('account').selectAll().orderBy('id').execute()

/** Updates an account. */
export const updateAccount = (
  query: AccountQuery,
  id: number,
  change: Updateable<AccountTable>,
): Promise<AccountRow | undefined> =>
  query.updateTable('account').set(change).where('id', '=', id).returningAll().executeTakeFirst()

const startConditionsQuery = compiledQuery(
  (query: AccountQuery, key: string) =>
    query
      .selectFrom('account as r')
      .select('r.stopped_at')
      .select((select) =>
        select
          .selectFrom('contact_hours as h')
          .select('h.settings')
          .where('h.account_id', '=', query.account)
          .as('contact_hours'),
      )
      .select((select) =>
        select
          .selectFrom('waiting_contact as w')
          .select('w.id')
          .where('w.account_id', '=', query.account)
          .where('w.idempotency_key', '=', key)
          .as('waiting_id'),
      )
      .where('r.id', '=', query.account),
  { isSingleRow: true },
)

/** What decides whether an account may contact somebody now. */
export interface StartConditions {
  readonly isStopped: boolean
  /** The hours in which it contacts people. */
  readonly hours: ContactHours | undefined
  /** What waits, or did, for a request with the same idempotency key. */
  readonly waitingId: number | undefined
}

/** Returns what decides whether an account may contact somebody now, with one statement. `key` is that of the request. */
export async function readStartConditions(query: AccountQuery, key?: string): Promise<StartConditions> {
  // No key is empty.
  const [row] = await startConditionsQuery(query, key ?? '')
  return {
    isStopped: row?.stopped_at != null,
    hours: row?.contact_hours ? parseJson(row.contact_hours) : undefined,
    waitingId: row?.waiting_id ?? undefined,
  }
}

const stoppedQuery = compiledQuery(
  (query: AccountQuery) => query.selectFrom('account').select('stopped_at').where('id', '=', query.account),
  { isSingleRow: true },
)

/**
 * Returns whether an account is stopped. What starts work, calls or sends asks in the transaction that stores the
 * start, which holds the account: so nothing starts after the stop.
 */
export const isStopped = async (query: AccountQuery): Promise<boolean> =>
  (await stoppedQuery(query))[0]?.stopped_at != null

/** Row of an API key. */
export type ApiKeyRow = Selectable<ApiKeyTable>

/** Returns the keys of an account in the order of ids. */
export const listKeys: (query: AccountQuery) => Promise<ApiKeyRow[]> = compiledQuery((query) =>
  query.selectFrom('api_key').selectAll().where('account_id', '=', query.account).orderBy('id'),
)

/** Inserts an API key. */
export async function insertKey(query: AccountQuery, key: Insertable<ApiKeyTable>): Promise<ApiKeyRow> {
  await requireName(query, 'api_key', key.hash, key.account_id)
  return query.insertInto('api_key').values(key).returningAll().executeTakeFirstOrThrow()
}

/** Returns the highest id of the keys of an account; 0 if there are none. */
export const maxKeyId = async (query: AccountQuery): Promise<number> =>
  (await query.selectFrom('api_key').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst())?.id ?? 0

/**
 * Deletes a key. Returns false if it does not exist. Its name is released afterwards: a key must be deleted although a node
 * is away that has a copy of the names, and a name without a key finds nothing.
 */
export async function deleteKey(connection: Pick<Connection, 'write'>, account: number, id: number): Promise<boolean> {
  const deleted = await connection.write({ account }, (query) =>
    query
      .deleteFrom('api_key')
      .where('account_id', '=', account)
      .where('id', '=', id)
      .returning('hash')
      .executeTakeFirst(),
  )
  if (!deleted) return false
  try {
    await connection.write('rows', (query) => releaseName(query, 'api_key', deleted.hash, account))
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
  }
  return true
}

/** Returns a key of an account. */
export const findKey = (query: AccountQuery, id: number): Promise<ApiKeyRow | undefined> =>
  query
    .selectFrom('api_key')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .executeTakeFirst()

/** Returns the key of any account whose secret has this hash, also in a schema without names. */
export const findKeyByHash = (query: Query, hash: string): Promise<ApiKeyRow | undefined> =>
  query.selectFrom('api_key').selectAll().where('hash', '=', hash).executeTakeFirst()

/** Returns the key whose secret has this hash, from the account that has it. `read` may be that of a transaction. */
export const findKeyOfHash = async (
  connection: Pick<Connection, 'read' | 'isSharded'>,
  hash: string,
): Promise<ApiKeyRow | undefined> => {
  const find = (query: Query) => findKeyByHash(query, hash)
  return (await readNamed(connection, 'api_key', hash, { own: find, any: find })).row
}

/** What a key is restricted to. */
export type KeyLimits = Pick<ApiKeyRow, 'scope' | 'nouns' | 'budget' | 'budget_period' | 'expires_at'>

/** API key with its account, read by every authenticated request. */
interface KeyOwner {
  readonly id: number
  readonly lastUsedAt: number | null
  readonly limits: KeyLimits
  readonly account: AccountRow
}

const keyOwnerQuery = compiledQuery(
  (query, id: number) =>
    query
      .selectFrom('api_key')
      .innerJoin('account', 'account.id', 'api_key.account_id')
      .selectAll('account')
      .select([
        'api_key.id as key_id',
        'api_key.hash',
        'api_key.last_used_at',
        'api_key.scope',
        'api_key.nouns',
        'api_key.budget',
        'api_key.budget_period',
        'api_key.expires_at',
      ])
      .where('api_key.id', '=', id),
  { isSingleRow: true },
)

/** Returns a key with its account, by the id of the key and the hash of its secret. */
export const findKeyOwner = (
  connection: Pick<Connection, 'read' | 'write'>,
  id: number,
  hash: string,
): Promise<KeyOwner | undefined> =>
  findNamed(connection, 'api_key', hash, {
    own: (query) => readKeyOwner(query, id, hash),
    any: (query) => readKeyOwner(query, id, hash),
    accountOf: (it) => it.account.id,
  })

/** Compares the hash in time that does not depend on it (section 5.1). */
async function readKeyOwner(query: Query, id: number, hash: string): Promise<KeyOwner | undefined> {
  const [row] = await keyOwnerQuery(query, id)
  if (!row || !isSameHash(row.hash, hash)) return undefined
  const { key_id, hash: _, last_used_at, scope, nouns, budget, budget_period, expires_at, ...account } = row
  const limits = { scope, nouns, budget, budget_period, expires_at }
  return { id: key_id, lastUsedAt: last_used_at, limits, account }
}

function isSameHash(stored: string, given: string): boolean {
  const [a, b] = [Buffer.from(stored), Buffer.from(given)]
  return a.length === b.length && crypto().timingSafeEqual(a, b)
}

const lastUsedQuery = compiledQuery((query, id: number, now: number) =>
  query.updateTable('api_key').set({ last_used_at: now }).where('id', '=', id),
)

/** Stores the time of the last use of a key. */
export async function updateKeyLastUsed(query: AccountQuery, id: number, now: number): Promise<void> {
  await lastUsedQuery(query, id, now)
}
