import type { EventEmitter } from 'node:events'
import pg from 'pg'
import { prepareValue } from 'pg/lib/utils.js'
import { isError } from '../../../node/is-error.ts'

/** Statement with its parameters. */
export interface PostgresStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export type PostgresRow = Record<string, unknown>

/** Result of one statement. */
export interface PostgresResult {
  readonly rows: PostgresRow[]
  readonly command: string
  readonly rowCount: number | null
}

type ParseValue = (text: string) => unknown

interface Column {
  readonly name: string
  readonly parse: ParseValue
}

/** Statement of one connection. Without a name, it is prepared at each use. */
export interface PreparedStatement {
  readonly name: string | undefined
  /** Columns of its result, once the server has described them. */
  columns: readonly Column[] | undefined
}

/** Statement of a batch, and what to do with its result. */
export interface BatchEntry extends PostgresStatement {
  readonly prepared: PreparedStatement
  readonly resolve: (result: PostgresResult) => void
  /** `isSkipped` if an earlier statement of the batch has failed, so that the server has not run this one and is still there. */
  readonly reject: (error: unknown, isSkipped: boolean) => void
}

/** What a batch needs of a connection of `pg`, which notes the statements that the server has prepared. */
interface Wire {
  readonly parsedStatements: Record<string, string | undefined>
  readonly submittedNamedStatements: Record<string, string | undefined>
  parse(message: { readonly text: string; readonly name: string | undefined }): void
  bind(message: {
    readonly statement: string | undefined
    readonly values: readonly unknown[]
    readonly valueMapper: (value: unknown) => unknown
  }): void
  describe(message: { readonly type: 'P'; readonly name: '' }): void
  execute(message: Record<string, never>): void
  sync(): void
}

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

/** Returns a parser for values of a type. */
export type TypeParsers = (dataType: number) => ParseValue

const noColumns: readonly Column[] = []

const toParameter = (value: unknown): unknown =>
  typeof value === 'string' || value === null ? value : typeof value === 'number' ? String(value) : prepareValue(value)

/** Returns whether only a statement has failed, and not its connection. */
const isOfStatement = (error: unknown): boolean => isError(error) && 'severity' in error && error.severity === 'ERROR'

/**
 * Statements that are sent together and answered together: the server answers when it has run all of them. If one of
 * them fails, it skips the others. A statement is described once on each connection, because its columns stay the same.
 */
export class StatementBatch {
  readonly #entries: readonly BatchEntry[]
  readonly #typeParser: TypeParsers
  #wire: Wire | undefined
  /** Index of the statement whose answer is next. */
  #at = 0
  #rows: PostgresRow[] = []
  readonly #results: PostgresResult[] = []
  #isOver = false
  /** Name and text of that statement: `pg` notes them when the server has prepared it. */
  name: string | undefined
  text: string | undefined
  /** Set by `pg`, to stop its timer. */
  callback: ((error?: unknown) => void) | undefined

  constructor(entries: readonly BatchEntry[], typeParser: TypeParsers) {
    this.#entries = entries
    this.#typeParser = typeParser
    this.#moveTo(0)
  }

  submit(wire: Wire): null {
    this.#wire = wire
    for (const { sql, parameters, prepared } of this.#entries) {
      const { name, columns } = prepared
      if (name === undefined || !(name in wire.parsedStatements || name in wire.submittedNamedStatements)) {
        wire.parse({ text: sql, name })
        if (name !== undefined) wire.submittedNamedStatements[name] = sql
      }
      wire.bind({ statement: name, values: parameters, valueMapper: toParameter })
      if (columns === undefined) wire.describe({ type: 'P', name: '' })
      wire.execute({})
    }
    wire.sync()
    return null
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    const columns = fields.map(({ name, dataTypeID }) => ({ name, parse: this.#typeParser(dataTypeID) }))
    this.#current.columns = columns
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { columns = noColumns } = this.#current
    const row: PostgresRow = {}
    for (let n = 0; n < columns.length; n++) {
      const { name, parse } = columns[n] as Column
      const value = fields[n] as string | null
      row[name] = value === null ? null : parse(value)
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const { prepared } = this.#entries[this.#at] as BatchEntry
    // A statement without a result has no columns.
    if (prepared.name !== undefined) prepared.columns ??= noColumns
    const end = text.indexOf(' ')
    this.#results.push({
      rows: this.#rows,
      command: end < 0 ? text : text.slice(0, end),
      rowCount: end < 0 ? null : Number(text.slice(text.lastIndexOf(' ') + 1)),
    })
    this.#rows = []
    this.#moveTo(this.#at + 1)
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  /** Receives the error of the current statement, or of the connection. */
  handleError(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.callback?.(error)
    this.#resolveAll()
    for (const [n, { prepared, reject }] of this.#entries.slice(this.#at).entries()) {
      if (prepared.name !== undefined) delete this.#wire?.submittedNamedStatements[prepared.name]
      reject(error, n > 0 && isOfStatement(error))
    }
  }

  handleReadyForQuery(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.callback?.()
    this.#resolveAll()
  }

  #resolveAll(): void {
    for (const [n, result] of this.#results.entries()) this.#entries[n]?.resolve(result)
  }

  #moveTo(index: number): void {
    this.#at = index
    this.name = this.#entries[index]?.prepared.name
    this.text = this.#entries[index]?.sql
  }

  get #current(): PreparedStatement {
    return (this.#entries[this.#at] as BatchEntry).prepared
  }
}

// `pg` runs only queries of its own class when statements are sent before earlier ones are answered.
Object.setPrototypeOf(StatementBatch.prototype, (pg.Query as { prototype: EventEmitter }).prototype)
