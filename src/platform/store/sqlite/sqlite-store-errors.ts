import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { StoreError, type StoreErrorReason } from '../database/store-error.ts'

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

/** Primary result codes that concern the file and not the query. */
const reasons: Readonly<Record<number, FileErrorReason>> = {
  5: 'busy',
  6: 'busy',
  7: 'other',
  8: 'read_only',
  10: 'other',
  11: 'corrupt',
  13: 'full',
  14: 'unopenable',
  26: 'corrupt',
}

/** SQLITE_IOERR_SHMSIZE: the shared-memory file next to the database cannot grow. */
const shmSizeError = 4874

/** Reasons of a file. The others are those of a connection to a server. */
type FileErrorReason = Exclude<StoreErrorReason, 'unreachable' | 'node_unreachable' | 'unknown_outcome'>

const messages: Readonly<Record<FileErrorReason, (file: string) => string>> = {
  full: (file) => `No space left for ${file}. Nothing was saved. Free some space, then try again.`,
  read_only: (file) => `${file} cannot be written. Make the file and its folder writable, or use another data folder.`,
  corrupt: (file) => `${file} is damaged or is not a database. Restore a backup, or move it away to start over.`,
  busy: (file) => `${file} is locked by another process. Nothing was saved. Try again, or end that process.`,
  unopenable: (file) =>
    `${file} cannot be opened. Check that its folder exists and is accessible, or use another data folder.`,
  replaced: (file) =>
    `${file} was deleted or replaced while it was open. Nothing was saved. Restore the file, then restart Parley.`,
  newer: (file) => `${file} was created by a newer version of Parley. Upgrade Parley, or use another data folder.`,
  other: (file) => `${file} cannot be read or written. Check its disk.`,
}

/** Returns a StoreError with the message for a reason. */
export const storeError = (reason: FileErrorReason, file: string, cause?: unknown): StoreError =>
  new StoreError(reason, messages[reason](file), cause)

/** Converts errors of the file or disk to StoreError. Query errors, such as violated constraints, stay unchanged. */
export function toStoreError(error: unknown, file: string): unknown {
  if (!(error instanceof SqliteError)) return error
  const reason = error.code === shmSizeError ? 'full' : reasons[error.code & 0xff]
  if (!reason) return error
  return storeError(reason === 'unopenable' && !isFolderWritable(file) ? 'read_only' : reason, file, error)
}

/** Returns whether the folder is writable. A missing folder counts as writable, because it is a different problem. */
function isFolderWritable(file: string): boolean {
  try {
    accessSync(dirname(file), constants.W_OK)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

const fileReasons: Readonly<Record<string, FileErrorReason>> = {
  EACCES: 'read_only',
  EPERM: 'read_only',
  EROFS: 'read_only',
  ENOSPC: 'full',
  EDQUOT: 'full',
}

/** Returns a StoreError for an error of the file system when the file is created. */
export const fileStoreError = (error: unknown, file: string): StoreError =>
  storeError(fileReasons[(error as NodeJS.ErrnoException).code ?? ''] ?? 'unopenable', file, error)
