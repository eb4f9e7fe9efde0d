import type { Writable } from 'node:stream'
import type { Client, QueryResult, Submittable } from 'pg'
import { realTime } from '../../../node/real-time.ts'
import { StoreError } from '../database/store-error.ts'
import { isStalePlan, toStoreError } from './postgres-store-errors.ts'
import {
  type BatchEntry,
  type PostgresResult,
  type PostgresStatement,
  type PreparedStatement,
  StatementBatch,
  type TypeParsers,
} from './statement-batch.ts'

/** Maximum number of prepared statements of a connection: lists of ids of different lengths would fill its memory. */
const maxPreparedStatements = 500

/** How a connection names its statements, and its database in messages. */
interface PostgresClientOptions {
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
  readonly #typeParser: TypeParsers
  readonly #prepared = new Map<string, PreparedStatement>()
  /** Statements that are sent together at the end of this turn. */
  #batch: BatchEntry[] = []
  #outstanding = 0
  #isBroken = false
  #isCollecting = false

  constructor(client: Client, options: PostgresClientOptions) {
    this.#client = client
    this.#options = options
    this.#typeParser = (dataType) => client.getTypeParser(dataType, 'text') as (text: string) => unknown
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

  /** Runs one statement. It is prepared once per connection and text. */
  execute(sql: string, parameters: readonly unknown[]): Promise<PostgresResult> {
    return this.#run(realTime.setImmediate, () => {
      this.#sendBatch()
      if (parameters.length === 0) return this.#client.query(sql)
      return new Promise((resolve, reject) => this.#send([{ ...this.#toStatement(sql, parameters), resolve, reject }]))
    })
  }

  /**
   * Runs a read of at most one row. Those of one turn of the event loop are answered together: each answer would wake this
   * process. After one that fails, the others run alone.
   */
  executeShort(sql: string, parameters: readonly unknown[]): Promise<PostgresResult> {
    return this.#run(
      realTime.setImmediate,
      () =>
        new Promise((resolve, reject) => {
          this.#batch.push({
            ...this.#toStatement(sql, parameters),
            resolve,
            reject: (error, isSkipped) => (isSkipped ? resolve(this.execute(sql, parameters)) : reject(error)),
          })
        }),
    )
  }

  /**
   * Runs a statement of a transaction. It is sent together with the others of this turn of the event loop, and the
   * server answers when it has run all of them. If one fails, all that follow it fail with its error.
   */
  executeTogether(sql: string, parameters: readonly unknown[] = []): Promise<PostgresResult> {
    return this.#run(
      realTime.nextTick,
      () =>
        new Promise((resolve, reject) => {
          this.#batch.push({ ...this.#toStatement(sql, parameters), resolve, reject })
        }),
    )
  }

  /** Runs several statements without parameters in one round trip. Returns the result of each. */
  async runScript(statements: readonly string[]): Promise<PostgresResult[]> {
    const results = await this.#run(realTime.nextTick, () => {
      this.#sendBatch()
      return this.#client.query(statements.join(';')) as Promise<QueryResult | QueryResult[]>
    })
    return Array.isArray(results) ? results : [results]
  }

  /** Closes the connection. A broken one may not answer any more, so nothing waits for it. */
  async end(): Promise<void> {
    const ended = this.#client.end().catch(() => {})
    if (!this.#isBroken) await ended
  }

  async #run<T>(later: (send: () => void) => unknown, send: () => Promise<T>): Promise<T> {
    this.#outstanding++
    this.#collect(later)
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

  /**
   * Sends statements in one write, because each write costs more than a statement: those of all requests that have
   * arrived (`setImmediate`), or those of a transaction (`nextTick`).
   */
  #collect(later: (send: () => void) => unknown): void {
    if (this.#isCollecting) return
    this.#isCollecting = true
    const { stream } = (this.#client as { connection: { stream: Writable } }).connection
    stream.cork()
    later(() => {
      this.#isCollecting = false
      this.#sendBatch()
      stream.uncork()
    })
  }

  #sendBatch(): void {
    if (this.#batch.length > 0) this.#send(this.#batch.splice(0))
  }

  #send(entries: readonly BatchEntry[]): void {
    this.#client.query(new StatementBatch(entries, this.#typeParser) as unknown as Submittable)
  }

  #toStatement(sql: string, parameters: readonly unknown[]): PostgresStatement & Pick<BatchEntry, 'prepared'> {
    return { sql, parameters, prepared: this.#prepared.get(sql) ?? this.#prepare(sql) }
  }

  #prepare(sql: string): PreparedStatement {
    const hasName = !this.#options.isPooled && this.#prepared.size < maxPreparedStatements
    // The first word helps a person who reads the log of the database.
    const name = hasName ? `${/^\w*/.exec(sql)?.[0]}_${this.#prepared.size}` : undefined
    const prepared = { name, columns: undefined }
    if (hasName) this.#prepared.set(sql, prepared)
    return prepared
  }
}

/** A read-only server may have been the primary server before a failover: the next connection may lead to the new one. */
const isConnectionUnusable = ({ reason }: StoreError): boolean => reason === 'unreachable' || reason === 'read_only'
