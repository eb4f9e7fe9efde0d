import { createHash } from 'node:crypto'
import type { WriteScope } from '../database/connection.ts'
import type { PostgresStatement } from './statement-batch.ts'

/**
 * Isolation of transactions: `locks` is READ COMMITTED with a lock for what a transaction decides on; `serializable` is
 * for databases without such locks, and repeats transactions that conflict.
 */
export type Isolation = 'locks' | 'serializable'

/** Scope of a transaction that holds nothing except the rows that it changes. */
type RowScope = 'rows' | { readonly rows: number }

/** Returns whether a transaction holds nothing except the rows that it changes. */
export const holdsOnlyRows = (scope: WriteScope): scope is RowScope =>
  scope === 'rows' || (typeof scope === 'object' && 'rows' in scope)

/** Returns the key of transactions that must run one after the other; undefined if they need not. */
export function scopeKey(scope: WriteScope): string | undefined {
  if (holdsOnlyRows(scope)) return undefined
  if (scope === 'everything') return 'everything'
  return 'account' in scope ? `account ${scope.account}` : `name ${scope.name}`
}

/** What a transaction decides on: a scope, or several accounts whose transactions share a COMMIT. */
export type GroupScope = WriteScope | { readonly accounts: readonly number[] }

interface Place {
  readonly isolation: Isolation
  readonly isSharded: () => boolean
}

/** Returns whether the lock of a transaction excludes changes of the clock. */
export const excludesClockChanges = (scope: GroupScope, { isolation }: Place): boolean =>
  isolation === 'locks' && scope !== 'rows' && !(typeof scope === 'object' && 'rows' in scope)

/** Returns whether a transaction holds accounts. */
export const holdsAccounts = (scope: GroupScope): boolean =>
  typeof scope === 'object' && ('account' in scope || 'accounts' in scope)

interface BeginOptions extends Place {
  /** Statements that follow `begin`. */
  readonly limits: readonly string[]
  /** Whether the clock is known, so that a transaction of accounts need not read it. */
  readonly isClockKnown: boolean
}

/**
 * Returns the statements that begin a transaction and take its lock. The result of the last one is the clock and the time
 * of the database, unless the clock is known; it has no row if the account does not exist. For several accounts it has a
 * row for each one that is locked, and skips those that another transaction has locked: the others must not wait for them.
 */
export function beginStatements(
  scope: GroupScope,
  { isolation, isSharded, limits, isClockKnown }: BeginOptions,
): readonly PostgresStatement[] {
  const begin = (level: string, ...rest: PostgresStatement[]): PostgresStatement[] => [
    plain(`begin isolation level ${level}`),
    ...limits.map(plain),
    ...rest,
  ]
  if (isolation === 'serializable') return begin('serializable', readClock)
  if (typeof scope === 'object' && 'accounts' in scope)
    return begin('read committed', {
      sql: isClockKnown ? lockOnlyAccounts : lockAccounts,
      parameters: [scope.accounts],
    })
  if (typeof scope === 'object' && 'account' in scope) {
    const parameters = [scope.account]
    if (isClockKnown) return begin('read committed', { sql: lockOnlyAccount, parameters })
    return isSharded()
      ? begin('read committed', { sql: lockOnlyAccount, parameters }, readClock)
      : begin('read committed', { sql: lockAccount, parameters })
  }
  return begin('read committed', ...lockStatements(scope, isSharded()), readClock)
}

const plain = (sql: string): PostgresStatement => ({ sql, parameters: [] })

/** `database_ms` is the time of the database. */
const clockColumns = 'c.*, (extract(epoch from clock_timestamp()) * 1000)::float8 as database_ms'
/** Reads the clock and the time of the database. */
export const readClock = plain(`select ${clockColumns} from clock c where c.id = 1`)
const lockOnlyAccount = 'select from account where id = $1 for no key update'
const lockOnlyAccounts = `select id as locked_account from account where id = any($1::bigint[]) for no key update skip locked`
/** On Citus, the clock lies on the coordinator, and a join with it would not be sent to the shard of the account. */
const lockAccount = `select ${clockColumns} from clock c, account a where c.id = 1 and a.id = $1 for no key update of a`
const lockAccounts = `select ${clockColumns}, a.id as locked_account from clock c, account a
  where c.id = 1 and a.id = any($1::bigint[]) for no key update of a skip locked`

/**
 * A row lock on an account needs a lock on the table that conflicts with the one of `everything`, so that such a
 * transaction waits for all accounts. The clock is changed in `everything`: it stays as it is while a lock is held.
 */
function lockStatements(
  scope: RowScope | 'everything' | { readonly name: string },
  isSharded: boolean,
): PostgresStatement[] {
  if (holdsOnlyRows(scope)) return []
  if (scope === 'everything') return lockAccountTable('exclusive', isSharded)
  return [
    ...lockAccountTable('row share', isSharded),
    { sql: 'select pg_advisory_xact_lock($1)', parameters: [lockNumber(scope.name)] },
  ]
}

/**
 * Every transaction begins on the coordinator, so its lock is enough there. That of Citus would be on all nodes, and fail
 * while one of them does not answer.
 */
const lockAccountTable = (mode: 'exclusive' | 'row share', isSharded: boolean): PostgresStatement[] => {
  const lock = plain(`lock table account in ${mode} mode`)
  const propagate = (value: 'off' | 'on') => plain(`set local citus.enable_ddl_propagation = ${value}`)
  return isSharded ? [propagate('off'), lock, propagate('on')] : [lock]
}

/** Returns 63 bits of the hash of a name: advisory locks have numbers. Servers of two versions share them, so it never changes. */
const lockNumber = (name: string): bigint =>
  createHash('sha256').update(`parley ${name}`).digest().readBigInt64BE() & 0x7fff_ffff_ffff_ffffn
