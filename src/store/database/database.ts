import type { Connection, Query } from './connection.ts'

/** A connection whose schema has not been looked at yet. */
export interface Database extends Connection {
  /** The file, or the server and database without its password: for messages. */
  readonly location: string
  /** Runs `body` in a transaction of its own while no other process can run another in here. */
  runExclusively<T>(body: (query: Query) => Promise<T>): Promise<T>
  /** Copies what is committed into a file of its own, durably. Only where the database is a file. */
  backup?(to: string): void
}
