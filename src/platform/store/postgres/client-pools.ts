import type { PostgresClient } from './postgres-client.ts'

/** Opens a connection. */
export type Connect = () => Promise<PostgresClient>

/**
 * Whether a transaction takes the lock of an account or name, which another server may hold for long, or only changes
 * rows for a moment.
 */
type TransactionKind = 'locking' | 'short'

/**
 * Connections that are used by one transaction at a time. One of them is never used for locks, so that the heartbeat and
 * leases of a server do not wait for locks that another server holds.
 */
export class ExclusiveClients {
  readonly #connect: Connect
  readonly #max: Readonly<Record<TransactionKind, number>>
  readonly #idle: PostgresClient[] = []
  readonly #waiting: Readonly<Record<TransactionKind, (() => void)[]>> = { locking: [], short: [] }
  readonly #used: Record<TransactionKind, number> = { locking: 0, short: 0 }

  constructor(connect: Connect, max: number) {
    this.#connect = connect
    this.#max = { locking: Math.max(1, max - 1), short: max }
  }

  /** Maximum number of connections of transactions with locks. */
  get maxLocking(): number {
    return this.#max.locking
  }

  /** Returns a connection, which `release` returns. Waits while all are in use, first come, first served. */
  async acquire(kind: TransactionKind): Promise<PostgresClient> {
    if (this.#hasRoom(kind)) this.#used[kind]++
    else await new Promise<void>((resolve) => this.#waiting[kind].push(resolve))
    try {
      for (let client = this.#idle.pop(); client; client = this.#idle.pop()) {
        if (!client.isBroken) return client
        void client.end()
      }
      return await this.#connect()
    } catch (error) {
      this.#free(kind)
      throw error
    }
  }

  release(client: PostgresClient, kind: TransactionKind): void {
    if (client.isBroken) void client.end()
    else this.#idle.push(client)
    this.#free(kind)
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((it) => it.end()))
  }

  /** Number of connections in use, their maximum, and the number of callers that wait for one. */
  get load(): { readonly used: number; readonly max: number; readonly waiting: number } {
    const { locking, short } = this.#waiting
    return { used: this.#total, max: this.#max.short, waiting: locking.length + short.length }
  }

  get #total(): number {
    return this.#used.locking + this.#used.short
  }

  #hasRoom(kind: TransactionKind): boolean {
    return this.#total < this.#max.short && (kind === 'short' || this.#used.locking < this.#max.locking)
  }

  #free(kind: TransactionKind): void {
    this.#used[kind]--
    for (const next of ['short', 'locking'] as const)
      while (this.#waiting[next].length > 0 && this.#hasRoom(next)) {
        this.#used[next]++
        this.#waiting[next].shift()?.()
      }
  }
}

/** Connections for reads. Each carries several statements at once. */
export class SharedClients {
  readonly #connect: Connect
  readonly #max: number
  #clients: PostgresClient[] = []
  #connecting: Promise<PostgresClient> | undefined
  #isClosed = false

  constructor(connect: Connect, max: number) {
    this.#connect = connect
    this.#max = max
  }

  /**
   * Returns a connection that sends statements in this turn of the event loop, else the one with the fewest unanswered
   * statements. Opens another one while all are busy.
   */
  async pick(): Promise<PostgresClient> {
    if (this.#isClosed) throw new Error('The database is closed.')
    this.#dropBroken()
    const collecting = this.#clients.find((it) => it.isCollecting)
    if (collecting) return collecting
    const best = this.#clients.reduce<PostgresClient | undefined>(
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
