import type { PostgresClient } from './postgres-client.ts'

/** Opens a connection. */
export type Connect = () => Promise<PostgresClient>

/** Connections that are used by one transaction at a time. */
export class ExclusiveClients {
  readonly #connect: Connect
  readonly #max: number
  readonly #idle: PostgresClient[] = []
  readonly #waiting: (() => void)[] = []
  #used = 0

  constructor(connect: Connect, max: number) {
    this.#connect = connect
    this.#max = max
  }

  /** Returns a connection, which `release` returns. Waits while all are in use, first come, first served. */
  async acquire(): Promise<PostgresClient> {
    if (this.#used >= this.#max) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#used++
    try {
      for (let client = this.#idle.pop(); client; client = this.#idle.pop()) {
        if (!client.isBroken) return client
        void client.end()
      }
      return await this.#connect()
    } catch (error) {
      this.#free()
      throw error
    }
  }

  release(client: PostgresClient): void {
    if (client.isBroken) void client.end()
    else this.#idle.push(client)
    this.#free()
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((it) => it.end()))
  }

  /** Number of connections in use, their maximum, and the number of callers that wait for one. */
  get load(): { readonly used: number; readonly max: number; readonly waiting: number } {
    return { used: this.#used, max: this.#max, waiting: this.#waiting.length }
  }

  #free(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#used--
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
    for (const it of this.#clients) if (it.isBroken) void it.end()
    this.#clients = this.#clients.filter((it) => !it.isBroken)
  }
}
