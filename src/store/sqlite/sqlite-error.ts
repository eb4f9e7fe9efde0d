/** What SQLite itself answered, the same for every driver. */
export class SqliteError extends Error {
  /** The extended result code, such as 2067 for SQLITE_CONSTRAINT_UNIQUE; its lowest byte is the primary one. */
  readonly code: number

  constructor(message: string, code: number, cause?: unknown) {
    super(message, { cause })
    this.name = 'SqliteError'
    this.code = code
  }
}

/** SQLITE_BUSY and SQLITE_LOCKED: somebody else is at it, and waiting may help. */
export const isBusy = (error: unknown): boolean =>
  error instanceof SqliteError && ((error.code & 0xff) === 5 || (error.code & 0xff) === 6)
