// Write transactions on PostgreSQL. Those of one account never run at the same time, and after a lost COMMIT the outcome is
// read from a marker: a transaction is repeated only if it was not saved.

import { realTime, sleep } from '../../../node/real-time.ts'
import { keepTrace } from '../../../node/trace.ts'
import { accountOf } from '../database/account-query.ts'
import type { ScopedQuery, WriteScope } from '../database/connection.ts'
import { isNodeAway, StoreError } from '../database/store-error.ts'
import {
  beginStatements,
  excludesClockChanges,
  type GroupScope,
  holdsAccounts,
  holdsOnlyRows,
  type Isolation,
  scopeKey,
} from './begin-statements.ts'
import type { Connect, ExclusiveClients } from './client-pools.ts'
import type { DatabaseTime } from './connect.ts'
import type { KnownClock } from './known-clock.ts'
import type { PostgresClient } from './postgres-client.ts'
import { isConflict, isConsequence, isStalePlan, storeError } from './postgres-store-errors.ts'
import {
  ClockChangedError,
  type CommitMarker,
  commitStatements,
  createMarkerNames,
  SharedTransaction,
  wasCommitted,
} from './transaction.ts'

/** Maximum number of accounts whose transactions share a COMMIT. */
const maxAccounts = 16
/** Maximum number of accounts of which it is known that they should run alone. */
const maxAlone = 1000
/**
 * How often an account runs alone before it may share a COMMIT again: after it has delayed the others, and after one of its
 * transactions failed, which made all of them run again.
 */
const runsAlone = { slow: 1, failed: 32 }

/**
 * Queues of the transactions of accounts. Those of one account run one after the other. Accounts that wait for a
 * connection at the same time share a transaction of the database, so that a busy server needs fewer round trips.
 */
class AccountQueues {
  /** Queues of all accounts that wait or run. A group that runs takes what is added in the meantime. */
  readonly #queues = new Map<number, QueuedTransaction[]>()
  /** Accounts that wait, in the order of arrival. */
  readonly #waiting = new Set<number>()
  /** Accounts that would delay others, and how often they still run alone. */
  readonly #alone = new Map<number, number>()

  get hasWaiting(): boolean {
    return this.#waiting.size > 0
  }

  add(account: number, transaction: QueuedTransaction): void {
    const queue = this.#queues.get(account)
    if (queue) {
      queue.push(transaction)
      return
    }
    this.#queues.set(account, [transaction])
    this.#waiting.add(account)
  }

  /** Returns a group of accounts that have waited longest; undefined if none waits. `end` it after its run. */
  take(): AccountGroup | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    const accounts = [first]
    if (!this.#alone.has(first))
      for (const account of this.#waiting) {
        if (accounts.length >= maxAccounts) break
        if (account !== first && !this.#alone.has(account)) accounts.push(account)
      }
    for (const account of accounts) this.#waiting.delete(account)
    return new AccountGroup(
      accounts.map((account) => ({ account, queue: this.#queues.get(account) as QueuedTransaction[] })),
    )
  }

  /** Ends the run of a group. Accounts with transactions left wait again. */
  end({ members, alone }: AccountGroup): void {
    if (this.#alone.size > maxAlone) this.#alone.clear()
    for (const { account, queue } of members) {
      const left = Math.max(alone.get(account) ?? 0, (this.#alone.get(account) ?? 0) - 1)
      if (left > 0) this.#alone.set(account, left)
      else this.#alone.delete(account)
      if (queue.length > 0) this.#waiting.add(account)
      else this.#queues.delete(account)
    }
  }
}

interface Member {
  readonly account: number
  readonly queue: QueuedTransaction[]
}

/** Accounts whose transactions run in one transaction of the database, one of each account at the same time. */
class AccountGroup implements TransactionGroup {
  readonly members: readonly Member[]
  /** Accounts that run alone next, and how often. */
  readonly alone = new Map<number, number>()

  constructor(members: readonly Member[]) {
    this.members = members
  }

  get scope(): GroupScope {
    const accounts = this.members.map((it) => it.account)
    return accounts.length === 1 ? { account: accounts[0] as number } : { accounts }
  }

  next(): QueuedTransaction[] {
    return this.members.flatMap(({ account, queue }) => (this.alone.has(account) ? [] : queue.splice(0, 1)))
  }

  onLocked(accounts: ReadonlySet<number>): void {
    for (const { account } of this.members) if (!accounts.has(account)) this.alone.set(account, runsAlone.slow)
  }

  onSlow({ scope }: QueuedTransaction): void {
    const account = accountOf(scope)
    if (account !== undefined) this.alone.set(account, runsAlone.slow)
  }

  onFailed({ scope }: QueuedTransaction): void {
    const account = accountOf(scope)
    if (account !== undefined) this.alone.set(account, runsAlone.failed)
  }

  requeue(transactions: readonly QueuedTransaction[]): void {
    for (const { account, queue } of this.members)
      queue.unshift(...transactions.filter(({ scope }) => accountOf(scope) === account))
  }

  takeAll(): QueuedTransaction[] {
    return this.members.flatMap(({ queue }) => queue.splice(0))
  }
}

/** A transaction that waits to be run. */
interface QueuedTransaction {
  readonly scope: WriteScope
  readonly body: (query: never) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  attempts: number
  /** Time until which it is repeated when the connection is lost, set at the first loss. */
  deadline: number | undefined
}

/** Transactions that may share a COMMIT. */
interface TransactionGroup {
  /** What they decide on; `accounts` if they are those of several accounts. */
  readonly scope: GroupScope
  /** Takes the next transactions, which may run at the same time: they are of different accounts. */
  next(): readonly QueuedTransaction[]
  /** Receives which of several accounts are locked. The others are not locked because another server has the lock. */
  onLocked?(accounts: ReadonlySet<number>): void
  /** Receives a transaction that took long. */
  onSlow?(transaction: QueuedTransaction): void
  /** Receives a transaction that failed beside those of other accounts, which have to run again without it. */
  onFailed?(transaction: QueuedTransaction): void
  /** Puts transactions back, before the others and in their order. */
  requeue(transactions: readonly QueuedTransaction[]): void
  /** Takes all transactions. */
  takeAll(): QueuedTransaction[]
}

/** Whether a group has transactions of several accounts, which run at the same time. */
const isOfAccounts = (scope: GroupScope): scope is { readonly accounts: readonly number[] } =>
  typeof scope === 'object' && 'accounts' in scope

/** Returns the group of a queue whose transactions have the same scope. */
const queueGroup = (queue: QueuedTransaction[]): TransactionGroup => ({
  get scope() {
    return (queue[0] as QueuedTransaction).scope
  },
  next: () => queue.splice(0, 1),
  requeue: (transactions) => void queue.unshift(...transactions),
  takeAll: () => queue.splice(0),
})

/** Maximum number of transactions that share a COMMIT, and the time in which they must start. */
const groupCommit = { size: 32, ms: 25 }
/**
 * Milliseconds after which a transaction counts as slow: it shares no COMMIT with those of other accounts next time. Those that
 * run at the same time are compared with the first of them that ends, and together they have this time for each.
 */
const slowMs = 10
/**
 * Number of connections on which transactions of accounts run while these are fast: those that wait are run together,
 * with fewer round trips. If they wait longer than this, another connection is used.
 */
const preferredGroups = { count: 2, waitMs: 2 }
/** Maximum number of attempts of a transaction that conflicts with others. */
const maxAttempts = 12

interface CompletedTransaction {
  readonly transaction: QueuedTransaction
  readonly value: unknown
}

interface FailedTransaction {
  readonly transaction: QueuedTransaction
  readonly failure: unknown
}

interface TransactionWriterOptions {
  readonly clients: ExclusiveClients
  readonly connect: Connect
  readonly where: string
  readonly isolation: Isolation
  /** Whether the tables of accounts are spread over nodes. Known after the first connection. */
  readonly isSharded: () => boolean
  /** Returns statements that set limits of a transaction, sent after `begin`. */
  readonly limits: () => readonly string[]
  readonly clock: KnownClock
  readonly time: DatabaseTime
  readonly reconnect: Reconnect
  /** Called when a transaction has scheduled or released jobs of an account, or of any. */
  readonly onJobsChanged: (account: number | undefined) => void
}

/**
 * Runs write transactions. Those of one account or name run one after the other, and those queued at the same time share
 * a COMMIT, each in a savepoint. While connections are busy, transactions of several accounts share one as well: they run at
 * the same time, so that their statements are sent together, and without savepoints. If one of them fails, all are reverted,
 * and run again without it. Nothing is lost with a connection: a transaction that was not committed runs again.
 */
export class TransactionWriter {
  readonly #options: TransactionWriterOptions
  readonly #queues = new Map<string, QueuedTransaction[]>()
  readonly #accounts = new AccountQueues()
  /** Number of connections that run transactions of accounts, or are being opened for them. */
  #groups = 0
  /** Whether one of them still waits for the end of the turn before it takes accounts. */
  #isGathering = false
  #groupTimer: NodeJS.Timeout | undefined
  readonly #running = new Set<Promise<void>>()
  readonly #nextMarker = createMarkerNames()
  #isClosed = false
  /** Statistics for the metrics. */
  readonly statistics = { committed: 0, rolledBack: 0, repeated: 0 }

  constructor(options: TransactionWriterOptions) {
    this.#options = options
  }

  write<T, S extends WriteScope>(scope: S, body: (query: ScopedQuery<S>) => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error('The database is closed.'))
    return new Promise<T>((resolve, reject) => {
      const transaction = {
        scope,
        body: keepTrace(body),
        resolve: resolve as (value: unknown) => void,
        reject,
        attempts: 0,
        deadline: undefined,
      }
      // Accounts of different shards in one transaction would need a two-phase commit.
      const isGrouped = this.#options.isolation === 'locks' && !this.#options.isSharded()
      if (typeof scope === 'object' && 'account' in scope && isGrouped) {
        this.#accounts.add(scope.account, transaction)
        this.#startGroups()
        return
      }
      const key = scopeKey(scope)
      const queue = key === undefined ? undefined : this.#queues.get(key)
      if (queue) queue.push(transaction)
      else this.#start(key, [transaction])
    })
  }

  /** Waits for queued transactions, and refuses others. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #start(key: string | undefined, queue: QueuedTransaction[]): void {
    if (key !== undefined) this.#queues.set(key, queue)
    this.#track(this.#drain(key, queue))
  }

  #track(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Starts a group of the accounts that wait, at the end of this turn or after a short time. */
  #startGroups(count: number = preferredGroups.count): void {
    if (this.#isGathering || !this.#accounts.hasWaiting || this.#groups >= this.#options.clients.maxLocking) return
    if (this.#groups < count) {
      this.#groups++
      this.#isGathering = true
      this.#track(this.#runAccounts())
      return
    }
    this.#groupTimer ??= realTime.setTimeout(() => {
      this.#groupTimer = undefined
      this.#startGroups(this.#groups + 1)
    }, preferredGroups.waitMs)
  }

  async #runAccounts(): Promise<void> {
    let group: AccountGroup | undefined
    try {
      // Requests whose keys were read together write in one turn of the event loop, one after the other.
      await endOfTurn()
      const client = await this.#options.clients.acquire('locking', 0)
      try {
        group = this.#takeGathered()
        // Those that were not taken need another connection.
        this.#startGroups()
        if (group) await this.#runGroup(client, group)
      } finally {
        this.#options.clients.release(client, 'locking', 0)
      }
    } catch (error) {
      group ??= this.#takeGathered()
      if (group) await this.#repeatLater(group.takeAll(), group, error)
    } finally {
      if (group) this.#accounts.end(group)
      this.#groups--
      this.#startGroups()
    }
  }

  #takeGathered(): AccountGroup | undefined {
    this.#isGathering = false
    return this.#accounts.take()
  }

  async #drain(key: string | undefined, queue: QueuedTransaction[]): Promise<void> {
    const kind = key === undefined ? 'short' : 'locking'
    const account = (queue[0] && accountOf(queue[0].scope)) ?? 0
    while (queue.length > 0) {
      try {
        const client = await this.#options.clients.acquire(kind, account)
        try {
          await this.#runGroup(client, queueGroup(queue))
        } finally {
          this.#options.clients.release(client, kind, account)
        }
      } catch (error) {
        await this.#repeatLater(queue.splice(0), queueGroup(queue), error)
      }
    }
    // Without a pause since the queue was seen empty: a transaction that is queued now starts another drain.
    if (key !== undefined) this.#queues.delete(key)
  }

  /** Runs transactions from `begin` to `commit`. Settles or requeues each transaction that it takes. */
  async #runGroup(client: PostgresClient, group: TransactionGroup): Promise<void> {
    const { scope } = group
    const { limits, clock, time } = this.#options
    const locksClock = excludesClockChanges(scope, this.#options)
    const recentClock = locksClock && holdsAccounts(scope) ? clock.recent() : undefined
    const isClockKnown = recentClock !== undefined
    const shared = new SharedTransaction(client, {
      begin: beginStatements(scope, { ...this.#options, limits: limits(), isClockKnown }),
      isDivided: !isOfAccounts(scope),
      locksClock,
      recentClock,
      clock,
      time,
    })
    if (isOfAccounts(scope))
      try {
        group.onLocked?.(await shared.lockedAccounts())
      } catch (error) {
        await rollBack(client, shared)
        throw error
      }
    const startedAt = realTime.monotonicMs()
    const done: CompletedTransaction[] = []
    while (done.length < groupCommit.size && realTime.monotonicMs() - startedAt < groupCommit.ms) {
      const transactions = group.next()
      if (transactions.length === 0) break
      const failed = await this.#runTogether(shared, transactions, group, done)
      if (failed.length === 0) continue
      const repeatable = failed.find((it) => this.#isRepeatable(it.failure))
      const refused = transactions.length === 1 && !repeatable ? failed[0] : undefined
      // Citus cannot commit after a savepoint in which a node was lost: what others have changed runs again without it.
      const canContinue = refused !== undefined && !isNodeAway(refused.failure) && !client.isBroken
      const isIntact = canContinue && (await shared.rollBackLast().catch(() => false))
      refused?.transaction.reject(refused.failure)
      if (isIntact) continue
      await rollBack(client, shared)
      this.statistics.rolledBack++
      // Which of several has failed, and which only met the consequences, shows when each runs alone.
      if (!refused && !repeatable) for (const { transaction } of failed) group.onFailed?.(transaction)
      const lost = [...done, ...(refused ? [] : failed)].map((it) => it.transaction)
      await this.#repeatLater(lost, group, repeatable?.failure)
      return
    }
    if (done.length > 0) await this.#commit(client, shared, done, group)
    else await rollBack(client, shared)
  }

  /** Runs transactions at the same time. Adds those that succeed to `done`, and returns the others. */
  async #runTogether(
    shared: SharedTransaction,
    transactions: readonly QueuedTransaction[],
    group: TransactionGroup,
    done: CompletedTransaction[],
  ): Promise<FailedTransaction[]> {
    const startedAt = realTime.monotonicMs()
    const failed: FailedTransaction[] = []
    const ends: { readonly transaction: QueuedTransaction; readonly at: number }[] = []
    const run = async (transaction: QueuedTransaction): Promise<void> => {
      try {
        done.push({ transaction, value: await shared.run(transaction.scope, transaction.body) })
        ends.push({ transaction, at: realTime.monotonicMs() })
      } catch (error) {
        failed.push({ transaction, failure: await this.#failureOf(shared, error) })
      }
    }
    await Promise.all(transactions.map(run))
    const [first, last] = [ends[0]?.at ?? startedAt, ends.at(-1)?.at ?? startedAt]
    const from = last - startedAt > slowMs * transactions.length ? startedAt : first
    for (const { transaction, at } of ends) if (at - from > slowMs) group.onSlow?.(transaction)
    return failed
  }

  /** Returns why the whole transaction failed, if it did: an error of a body is only a consequence then. */
  async #failureOf(shared: SharedTransaction, error: unknown): Promise<unknown> {
    return shared.confirm().then(
      () => error,
      (cause: unknown) => cause,
    )
  }

  async #commit(
    client: PostgresClient,
    shared: SharedTransaction,
    done: readonly CompletedTransaction[],
    group: TransactionGroup,
  ): Promise<void> {
    const marker = this.#markerOf((done[0] as CompletedTransaction).transaction.scope)
    const hasTwoPhases =
      marker !== undefined && marker.account === undefined && this.#options.isSharded() && shared.areAccountsChanged
    try {
      await shared.commit(commitStatements(marker, hasTwoPhases))
    } catch (error) {
      this.statistics.rolledBack++
      await rollBack(client, shared)
      const isSaved = (isUnreachable(error) || isNodeAway(error)) && (await this.#resolveOutcome(marker))
      if (isSaved === 'unknown') {
        const unknown = storeError('unknown_outcome', this.#options.where, error)
        for (const { transaction } of done) transaction.reject(unknown)
        return
      }
      if (!isSaved) {
        const transactions = done.map((it) => it.transaction)
        // Which of several needs the node shows when they run again.
        const isAnother = isNodeAway(error) && transactions.length > 1
        if (isAnother) for (const transaction of transactions) transaction.attempts++
        if (isAnother) await this.#repeatLater(transactions, group, undefined)
        else if (this.#isRepeatable(error)) await this.#repeatLater(transactions, group, error)
        else for (const transaction of transactions) transaction.reject(error)
        return
      }
    }
    this.statistics.committed++
    for (const { transaction, value } of done) transaction.resolve(value)
    if (shared.hasScheduledJobs) this.#options.onJobsChanged(done[0] && accountOf(done[0].transaction.scope))
  }

  /** Returns a new marker for the COMMIT of transactions with a scope; undefined if they need none. */
  #markerOf(scope: WriteScope): CommitMarker | undefined {
    if (holdsOnlyRows(scope)) return undefined
    const isOnShard = this.#options.isSharded() && typeof scope === 'object' && 'account' in scope
    return { id: this.#nextMarker(), account: isOnShard ? scope.account : undefined }
  }

  /** Returns whether a COMMIT without an answer was carried out, once the database can be asked. */
  async #resolveOutcome(marker: CommitMarker | undefined): Promise<boolean | 'unknown'> {
    if (marker === undefined) return 'unknown'
    try {
      return await this.#options.reconnect.run(async () => {
        const client = await this.#options.connect()
        try {
          return await wasCommitted(client, marker)
        } finally {
          void client.end()
        }
      }, 'outcome')
    } catch {
      return 'unknown'
    }
  }

  #isRepeatable(error: unknown): boolean {
    // Citus only warns when the end of a savepoint finds that a node was lost. Run again, the statement that needs the node fails.
    if (this.#options.isSharded() && isConsequence(error)) return true
    return error instanceof ClockChangedError || isConflict(error) || isStalePlan(error) || isUnreachable(error)
  }

  /** Requeues transactions that were not committed, in their order, and rejects those that have no attempts left. */
  async #repeatLater(
    transactions: readonly QueuedTransaction[],
    group: TransactionGroup,
    error: unknown,
  ): Promise<void> {
    const now = realTime.monotonicMs()
    const again: QueuedTransaction[] = []
    for (const transaction of transactions) {
      if (isUnreachable(error)) transaction.deadline ??= now + this.#options.reconnect.timeoutMs
      else if (error !== undefined && !(error instanceof ClockChangedError)) transaction.attempts++
      if (transaction.attempts >= maxAttempts) transaction.reject(storeError('busy', this.#options.where, error))
      else if (isUnreachable(error) && now >= (transaction.deadline ?? 0)) transaction.reject(error)
      else if (error !== undefined && !this.#isRepeatable(error)) transaction.reject(error)
      else again.push(transaction)
    }
    group.requeue(again)
    this.statistics.repeated += again.length
    if (again.length > 0 && error !== undefined && !(error instanceof ClockChangedError))
      await sleep(isUnreachable(error) ? 100 : Math.random() * 5 * (again[0]?.attempts ?? 1))
  }
}

const endOfTurn = (): Promise<void> => new Promise((resolve) => void realTime.setImmediate(resolve))

const isUnreachable = (error: unknown): boolean =>
  error instanceof StoreError && (error.reason === 'unreachable' || error.reason === 'read_only')

/** Ends a transaction without saving it. A lost connection has ended it already. */
async function rollBack(client: PostgresClient, shared: SharedTransaction): Promise<void> {
  if (!client.isBroken) await shared.rollBackAll().catch(() => {})
}

/** Milliseconds between two attempts to reach the database. */
const pauseMs = 100

/** Milliseconds to find out how a COMMIT ended. It is longer than for other work, because guessing is not possible. */
const outcomeTimeoutMs = 30_000

/** Maximum number of connections in a row whose prepared statements belong to an earlier schema, and of deadlocks. */
const maxRepeats = 100

/** Repeats work that changed nothing while the database cannot be reached. */
interface Reconnect {
  /** Milliseconds for which work is repeated; 0 until the database was reached once. */
  readonly timeoutMs: number
  /**
   * Repeats `work` while it rejects because the database cannot be reached, or its schema was upgraded. `outcome` allows more
   * time, because guessing is not possible, and waits shortly for a node.
   */
  run<T>(work: () => Promise<T>, limit?: 'outcome'): Promise<T>
  /** Called when a connection was opened. */
  onConnected(): void
}

/** Creates the rule for lost connections. A database that was never reached is refused at once. */
export function createReconnect(reconnectMs: number): Reconnect {
  let isKnown = false
  return {
    get timeoutMs() {
      return isKnown ? reconnectMs : 0
    },
    async run(work, limit) {
      const startedAt = realTime.monotonicMs()
      const deadline = startedAt + (limit ? Math.max(outcomeTimeoutMs, reconnectMs) : this.timeoutMs)
      for (let repeats = 0; ; ) {
        try {
          return await work()
        } catch (error) {
          // The schema was upgraded: every open connection fails once, and is replaced. Or a read and the upgrade
          // waited for each other's tables.
          if ((isStalePlan(error) || isConflict(error)) && ++repeats <= maxRepeats) continue
          const isLost = error instanceof StoreError && error.reason === 'unreachable'
          // The accounts of other nodes need the connections that wait here.
          const until = isLost ? deadline : limit && isNodeAway(error) ? startedAt + this.timeoutMs : 0
          if (realTime.monotonicMs() >= until) throw error
          await sleep(pauseMs)
        }
      }
    },
    onConnected() {
      isKnown = true
    },
  }
}
