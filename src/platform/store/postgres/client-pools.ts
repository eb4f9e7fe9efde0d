import { FairQueue } from '../../../node/fair-queue.ts'
import type { PostgresClient } from './postgres-client.ts'
import type { PostgresResult } from './statement-batch.ts'

/** Opens a connection. */
export type Connect = () => Promise<PostgresClient>

/**
 * Whether a transaction takes the lock of an account or name, which another server may hold for long, or only changes
 * rows for a moment.
 */
type TransactionKind = 'locking' | 'short'

/**
 * Connections that are used by one transaction at a time. One of them is never used for locks, so that the heartbeat and
 * leases of a server do not wait for locks that another server holds. Accounts that wait take turns, and one account has at
 * most half of the connections for short transactions; of those with locks, an account runs one at a time.
 */
export class ExclusiveClients {
  readonly #connect: Connect
  readonly #max: Readonly<Record<TransactionKind, number>>
  readonly #mayRun: Readonly<Record<TransactionKind, (runningOfAccount: number) => boolean>>
  readonly #idle: PostgresClient[] = []
  readonly #waiting = { locking: new FairQueue<() => void>(), short: new FairQueue<() => void>() }
  readonly #used: Record<TransactionKind, number> = { locking: 0, short: 0 }
  /** The kind that gets the next free connection, if both wait. */
  #next: TransactionKind = 'short'

  constructor(connect: Connect, max: number) {
    this.#connect = connect
    this.#max = { locking: Math.max(1, max - 1), short: max }
    this.#mayRun = { locking: () => true, short: (running) => running < Math.ceil(max / 2) }
  }

  /** Maximum number of connections of transactions with locks. */
  get maxLocking(): number {
    return this.#max.locking
  }

  /** Returns a connection for a transaction of an account (0: of none), which `release` returns. Waits while all are in use. */
  async acquire(kind: TransactionKind, account: number): Promise<PostgresClient> {
    const waiting = this.#waiting[kind]
    if (this.#hasRoom(kind) && this.#mayRun[kind](waiting.runningOf(account))) {
      this.#used[kind]++
      waiting.begin(account)
    } else await new Promise<void>((resolve) => waiting.add(account, resolve))
    try {
      for (let client = this.#idle.pop(); client; client = this.#idle.pop()) {
        if (!client.isBroken) return client
        void client.end()
      }
      return await this.#connect()
    } catch (error) {
      this.#free(kind, account)
      throw error
    }
  }

  release(client: PostgresClient, kind: TransactionKind, account: number): void {
    if (client.isBroken) void client.end()
    else this.#idle.push(client)
    this.#free(kind, account)
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((it) => it.end()))
  }

  /** Number of connections in use, their maximum, and the number of callers that wait for one. */
  get load(): { readonly used: number; readonly max: number; readonly waiting: number } {
    const { locking, short } = this.#waiting
    return { used: this.#total, max: this.#max.short, waiting: locking.size + short.size }
  }

  get #total(): number {
    return this.#used.locking + this.#used.short
  }

  #hasRoom(kind: TransactionKind): boolean {
    return this.#total < this.#max.short && (kind === 'short' || this.#used.locking < this.#max.locking)
  }

  #free(kind: TransactionKind, account: number): void {
    this.#used[kind]--
    this.#waiting[kind].end(account, 0)
    let isAssigned = true
    while (isAssigned) isAssigned = this.#assign(this.#next) || this.#assign(other[this.#next])
  }

  /** Gives a connection to the next one that waits. Returns whether one did. */
  #assign(kind: TransactionKind): boolean {
    const next = this.#hasRoom(kind) ? this.#waiting[kind].take(this.#mayRun[kind]) : undefined
    if (!next) return false
    this.#used[kind]++
    this.#next = other[kind]
    next()
    return true
  }
}

const other = { locking: 'short', short: 'locking' } as const

/** Number of unanswered statements of others behind which a statement is sent only if all connections have more. */
const maxBefore = 8

/**
 * Connections for reads. Each carries several statements at once, which run one after the other. One account uses all of them
 * but one, so that a statement of another one need not wait behind many, or long ones.
 */
export class SharedClients {
  readonly #connect: Connect
  readonly #max: number
  #clients: PostgresClient[] = []
  /** Number of unanswered statements of each account on the connections that it uses. */
  readonly #unanswered = new Map<number, Map<PostgresClient, number>>()
  #connecting: Promise<PostgresClient> | undefined
  #isClosed = false

  constructor(connect: Connect, max: number) {
    this.#connect = connect
    this.#max = max
  }

  /** Runs a statement of an account (0: of none). A short one returns at most one row. */
  async execute(
    sql: string,
    parameters: readonly unknown[],
    account: number,
    isShort = false,
  ): Promise<PostgresResult> {
    const client = await this.pick(account)
    const own = this.#unanswered.get(account) ?? new Map<PostgresClient, number>()
    this.#unanswered.set(account, own)
    own.set(client, (own.get(client) ?? 0) + 1)
    try {
      return await (isShort ? client.executeShort(sql, parameters) : client.execute(sql, parameters))
    } finally {
      const left = (own.get(client) ?? 1) - 1
      if (left > 0) own.set(client, left)
      else own.delete(client)
      if (own.size === 0) this.#unanswered.delete(account)
    }
  }

  /**
   * Returns a connection for a statement of an account: one that sends statements in this turn of the event loop, else the
   * one with the fewest unanswered statements; one with many of others last. Opens another one while all are busy.
   */
  async pick(account: number): Promise<PostgresClient> {
    if (this.#isClosed) throw new Error('The database is closed.')
    this.#dropBroken()
    const own = this.#unanswered.get(account)
    const hasShare = own !== undefined && own.size >= Math.max(1, this.#max - 1)
    const shared = hasShare ? this.#clients.filter((it) => own.has(it)) : []
    const usable = shared.length > 0 ? shared : this.#clients
    const isCrowded = (it: PostgresClient): boolean => it.outstanding - (own?.get(it) ?? 0) > maxBefore
    const uncrowded = usable.filter((it) => !isCrowded(it))
    const collecting = uncrowded.find((it) => it.isCollecting)
    if (collecting) return collecting
    const best = (uncrowded.length > 0 ? uncrowded : usable).reduce<PostgresClient | undefined>(
      (a, b) => (a === undefined || b.outstanding < a.outstanding ? b : a),
      undefined,
    )
    if (best && (best.outstanding === 0 || this.#clients.length >= this.#max || this.#connecting)) return best
    this.#connecting ??= this.#connect()
      .then((client) => {
        this.#clients.push(client)
        return client
      })
      .finally(() => {
        this.#connecting = undefined
      })
    if (!best) return this.#connecting
    this.#connecting.catch(() => {})
    return best
  }

  /** Number of open connections, their maximum, and the number of unanswered statements. */
  get load(): { readonly open: number; readonly max: number; readonly outstanding: number } {
    const outstanding = this.#clients.reduce((sum, it) => sum + it.outstanding, 0)
    return { open: this.#clients.length, max: this.#max, outstanding }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#connecting?.catch(() => {})
    await Promise.all(this.#clients.splice(0).map((it) => it.end()))
  }

  #dropBroken(): void {
    if (!this.#clients.some((it) => it.isBroken)) return
    for (const client of this.#clients) if (client.isBroken) void client.end()
    this.#clients = this.#clients.filter((it) => !it.isBroken)
  }
}
