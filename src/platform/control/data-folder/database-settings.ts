/** A database URL, with the flag or variable that it comes from. */
interface DatabaseUrlSource {
  readonly url: string
  readonly source: string
  /**
   * `given`: it must be the database of the folder. `new_folder`: it is used if the folder has no data yet. `password`:
   * only its password is used, if it is the database of the folder.
   */
  readonly use: 'given' | 'new_folder' | 'password'
}

/** Settings of the connections to a database. Times are in milliseconds. */
export interface DatabaseOptions {
  /** Maximum number of connections of this process. */
  readonly connections?: number
  /** Whether a pooler in transaction mode is in front of the database (default: detected). */
  readonly isPooled?: boolean
  /** URL of the database past its pooler, for a session that listens. */
  readonly directUrl?: string
  readonly isolation?: 'locks' | 'serializable'
  readonly statementTimeoutMs?: number
  readonly connectTimeoutMs?: number
}

/** Key that seals secrets in the database, from outside the data folder. */
export interface GivenSecretKey {
  /** 64 hexadecimal digits. */
  readonly text: string
  /** The flag or variable that it comes from. */
  readonly source: string
  /** Whether the folder stores it, if it has no key yet. */
  readonly isStored: boolean
}

/** Settings of a PostgreSQL database. */
export interface DatabaseSettings extends DatabaseOptions {
  /** In order of priority. */
  readonly urls?: readonly DatabaseUrlSource[]
  readonly secretKey?: GivenSecretKey
}
