/** Error of SQLite, the same for both drivers. */
export class SqliteError extends Error {
  /** Extended result code, such as 2067 for SQLITE_CONSTRAINT_UNIQUE. Its lowest byte is the primary code. */
  readonly code: number

  constructor(message: string, code: number, cause?: unknown) {
    super(message, { cause })
    this.name = 'SqliteError'
    this.code = code
  }
}

/** Returns whether the error is SQLITE_BUSY or SQLITE_LOCKED, so that waiting may help. */
export const isBusy = (error: unknown): boolean =>
  error instanceof SqliteError && ((error.code & 0xff) === 5 || (error.code & 0xff) === 6)
