/**
 * Names of the files of a data folder that several parts of the program read or write. Data folders on the disk have these names, and
 * commands of other versions find a running server by them: they never change. local-files.ts of src/cli/program/configuration says what
 * each file holds.
 */
export const dataFiles = {
  /** The database of a folder without PostgreSQL. */
  sqlite: 'platform.db',
  /** Where the PostgreSQL database of the folder is. */
  postgres: 'database.json',
  key: 'secret.key',
  credentials: 'credentials.json',
  /** The lock of a running server. */
  server: 'server.json',
  requests: 'requests.ndjson',
  olderRequests: 'requests.1.ndjson',
  pendingRestore: 'restoring.json',
  journal: 'spends.ndjson',
  /** The language model. Operators write it. */
  model: 'language.json',
} as const

/** What the names of the files of an SQLite database end with: the database, its log, and the index of the log. */
export const sqliteEnds = ['', '-wal', '-shm'] as const
