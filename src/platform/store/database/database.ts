import type { Connection, Query } from './connection.ts'

/** Connection whose schema has not been checked yet. */
export interface Database extends Connection {
  /** Runs `body` in a transaction while no other process can run this method on the database. */
  runExclusively<T>(body: (query: Query) => Promise<T>): Promise<T>
  /** Copies the committed data to a separate file, durably. Only if the database is a file. */
  backup?(to: string): void
}
