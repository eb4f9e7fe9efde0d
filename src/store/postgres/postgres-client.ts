import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import type { Client, QueryResult } from 'pg'
import { StoreError } from '../database/store-error.ts'
import { isStalePlan, toStoreError } from './postgres-store-errors.ts'

/** Maximum number of prepared statements of a connection: lists of ids of different lengths would fill its memory. */
const maxPreparedStatements = 500

export type PostgresRow = Record<string, unknown>

/** Result of one statement. */
export interface PostgresResult {
  readonly rows: PostgresRow[]
  readonly command: string
  readonly rowCount: number | null
}

export interface PostgresClientOptions {
  /** Server, port and database, for messages. */
  readonly where: string
  /**
   * Whether a pooler may run consecutive transactions on different connections to the server. Statements have no names
   * then, because a name belongs to one connection.
   */
  readonly isPooled: boolean
}

/**
 * One connection. Statements are sent at once, without waiting for the results of earlier ones, and run in order.
 * Rejects with StoreError; errors of a query, such as violated constraints, stay.
 */
export class PostgresClient {
  readonly #client: Client
  readonly #options: PostgresClientOptions
  readonly #names = new Map<string, string>()
  #outstanding = 0
  #isBroken = false
  #isCollecting = false

  constructor(client: Client, options: PostgresClientOptions) {
    this.#client = client
    this.#options = options
    // The server may end a connection at any time, also between two statements. The next statement fails then.
    client.on('error', () => {
      this.#isBroken = true
    })
    client.on('end', () => {
      this.#isBroken = true
    })
  }

  /** Number of statements without a result yet. */
  get outstanding(): number {
    return this.#outstanding
  }

  /** Whether statements are being collected that are sent together at the end of this turn. */
  get isCollecting(): boolean {
    return this.#isCollecting
  }

  /** Whether the connection was lost or must not be used again. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  /** Runs one statement with parameters. It is prepared once per connection and text. */
  async execute(sql: string, parameters: readonly unknown[]): Promise<PostgresResult> {
    const name = this.#options.isPooled || parameters.length === 0 ? undefined : this.#nameOf(sql)
    return this.#run(() => this.#client.query({ text: sql, values: [...parameters], ...(name && { name }) }))
  }

  /** Runs several statements without parameters in one round trip. Returns the result of each. */
  async runScript(statements: readonly string[]): Promise<PostgresResult[]> {
    const results = await this.#run(
      () => this.#client.query(statements.join(';')) as Promise<QueryResult | QueryResult[]>,
    )
    return Array.isArray(results) ? results : [results]
  }

  /** Closes the connection. A broken one may not answer any more, so nothing waits for it. */
  async end(): Promise<void> {
    const ended = this.#client.end().catch(() => {})
    if (!this.#isBroken) await ended
  }

  async #run<T>(send: () => Promise<T>): Promise<T> {
    this.#outstanding++
    this.#collect()
    try {
      return await send()
    } catch (error) {
      const converted = toStoreError(error, this.#options.where)
      if (isStalePlan(error) || (converted instanceof StoreError && isConnectionUnusable(converted)))
        this.#isBroken = true
      throw converted
    } finally {
      this.#outstanding--
    }
  }

  /** Sends all statements of this turn of the event loop in one write: each write costs more than a statement. */
  #collect(): void {
    if (this.#isCollecting) return
    this.#isCollecting = true
    const { stream } = (this.#client as unknown as { connection: { stream: Writable } }).connection
    stream.cork()
    process.nextTick(() => {
      this.#isCollecting = false
      stream.uncork()
    })
  }

  #nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql)
    if (known !== undefined || this.#names.size >= maxPreparedStatements) return known
    const name = createHash('sha256').update(sql).digest('base64url').slice(0, 24)
    this.#names.set(sql, name)
    return name
  }
}

/** A read-only server may have been the primary server before a failover: the next connection may lead to the new one. */
const isConnectionUnusable = ({ reason }: StoreError): boolean => reason === 'unreachable' || reason === 'read_only'
