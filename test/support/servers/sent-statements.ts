import pg from 'pg'
import { afterFile } from '../cleanup.ts'

/** What `pg` calls to send a statement: all of one write are answered when the server receives the end of it. */
interface Wire {
  parse(statement: { readonly name?: string; readonly text: string }): void
  bind(statement: { readonly statement?: string }): void
  query(text: string): void
  sync(): void
}

/** What this process has sent to PostgreSQL. */
export interface Sent {
  /** Statements in their order, each as its first word and the tables that it names first: `insert lead`. */
  readonly statements: readonly string[]
  /** How often the server was asked to answer. Statements that are sent together have one answer. */
  readonly answers: number
}

/**
 * Records what this process sends to PostgreSQL. Call it before a connection is opened: later, a prepared statement is
 * known by its name only. Returns a function that runs something and returns what was sent until its end.
 */
export function watchStatements(): (run: () => Promise<unknown>) => Promise<Sent> {
  const wire = pg.Connection.prototype as unknown as Wire
  const texts = new WeakMap<Wire, Map<string, string>>()
  let statements: string[] = []
  let answers = 0
  const { parse, bind, query, sync } = wire
  afterFile(() => Object.assign(wire, { parse, bind, query, sync }))
  wire.parse = function (statement) {
    const known = texts.get(this) ?? new Map<string, string>()
    texts.set(this, known.set(statement.name ?? '', statement.text))
    parse.call(this, statement)
  }
  wire.bind = function (values) {
    const name = values.statement ?? ''
    statements.push(shortened(texts.get(this)?.get(name) ?? name))
    bind.call(this, values)
  }
  wire.query = function (text) {
    statements.push(...text.split(';').map(shortened))
    answers++
    query.call(this, text)
  }
  wire.sync = function () {
    answers++
    sync.call(this)
  }
  return async (run) => {
    statements = []
    answers = 0
    await run()
    return { statements, answers }
  }
}

/** Returns the first word of a statement, and the table of its first `from`, `into` or `update`. */
function shortened(sql: string): string {
  const [word = ''] = /\w+/.exec(sql) ?? []
  const table = /\b(?:from|into|update) "?(\w+)/i.exec(sql.replace(/extract\(.*?\)\)/, ''))?.[1]
  return table === undefined ? word : `${word} ${table}`
}
