import { isError } from '../../../node/is-error.ts'
import { StoreError, type StoreErrorReason } from '../database/store-error.ts'

const reasons: Readonly<Record<string, StoreErrorReason>> = {
  '53100': 'full',
  '25006': 'read_only',
  XX001: 'corrupt',
  XX002: 'corrupt',
  '53300': 'busy',
  '55P03': 'busy',
  '57014': 'busy',
  '25P03': 'unreachable',
  '28000': 'unopenable',
  '28P01': 'unopenable',
  '3D000': 'unopenable',
  '57P01': 'unreachable',
  '57P02': 'unreachable',
  '57P03': 'unreachable',
}

const messages: Readonly<Record<StoreErrorReason, (where: string, why: string) => string>> = {
  full: (where) => `The disk of the database ${where} is full. Nothing was saved. Free some space, then try again.`,
  read_only: (where) => `The database ${where} is read-only. Use its primary server.`,
  corrupt: (where, why) => `The database ${where} is damaged (${why}). Restore a backup.`,
  busy: (where) => `The database ${where} is too busy. Nothing was saved. Try again.`,
  unopenable: (where, why) =>
    `The database ${where} cannot be opened: ${why}. Check the user, password and name in its URL. The password can also be in PGPASSWORD, or in the file that PGPASSFILE names.`,
  replaced: (where) => `The database ${where} was replaced. Restart the server.`,
  newer: (where) => `The database ${where} was created by a newer version of Parley. Upgrade Parley.`,
  unreachable: (where, why) =>
    `The database ${where} cannot be reached: ${why}. Check that it is running and that its URL is correct.`,
  node_unreachable: (where, why) =>
    `A node of the database ${where} cannot be reached: ${why}. The accounts on other nodes are not affected.`,
  unknown_outcome: (where) =>
    `The connection to the database ${where} was lost while a change was being saved, and it is not known whether it was saved. Check before you repeat it.`,
  other: (where, why) => `The database ${where} failed: ${why}.`,
}

/** Returns a StoreError with the message for a reason. */
export const storeError = (reason: StoreErrorReason, where: string, cause?: unknown): StoreError =>
  new StoreError(reason, messages[reason](where, causeText(cause)), cause)

/** Converts server and connection errors to StoreError. Query errors, such as violated constraints, stay. */
export function toStoreError(error: unknown, where: string): unknown {
  if (!isError(error) || error instanceof StoreError) return error
  const code = codeOf(error)
  if (isPasswordMissing(error)) return storeError('unopenable', where, new Error('the server requires a password'))
  if (isCertificateRefused(code))
    return new StoreError(
      'unopenable',
      `The TLS certificate of the database ${where} is not trusted: ${error.message}. Check sslmode and sslrootcert in its URL.`,
      error,
    )
  const reason = isNodeLost(error, code)
    ? 'node_unreachable'
    : (reasons[code] ?? (isConnectionLost(error, code) ? 'unreachable' : undefined))
  return reason ? storeError(reason, where, error) : error
}

/** Returns whether the error is a serialization failure or deadlock, so that repeating the transaction may succeed. */
export const isConflict = (error: unknown): boolean => isError(error) && ['40001', '40P01'].includes(codeOf(error))

/** Returns whether the statement was refused only because an earlier one of its transaction had failed. */
export const isConsequence = (error: unknown): boolean => isError(error) && codeOf(error) === '25P02'

/** Returns whether another process changed a table under a prepared statement. A new connection prepares it again. */
export const isStalePlan = (error: unknown): boolean =>
  isError(error) && codeOf(error) === '0A000' && error.message.includes('cached plan')

/** The client has no code for this, and its message is about its own types. */
const isPasswordMissing = (error: Error): boolean =>
  /client password must be a string|password must be a non-empty string/i.test(error.message)

/** Codes of OpenSSL for certificates, and of Node for names that are not in them. */
const isCertificateRefused = (code: string): boolean => /CERT|^UNABLE_TO_|^ERR_TLS_|^HOSTNAME_MISMATCH$/.test(code)

/**
 * Matches socket errors (ECONNREFUSED, ENOTFOUND), class 08 of the server, and errors of the client without a code: the last one is that
 * of a statement which waits to be sent while a lost connection is closed.
 */
const isConnectionLost = (error: Error, code: string): boolean =>
  /^(?:E[A-Z]{3,}|08...)$/.test(code) || (code === '' && /connection|timeout|client was closed/i.test(error.message))

/**
 * Messages of Citus about nodes that have no code of their own: for a lost connection in use, and for a COMMIT without answer. The
 * second half are those of its client library, which it repeats when the node sent no error.
 */
const nodeMessages =
  /^(?:failure on connection marked as essential|could not commit transaction for shard|could not establish|server closed the connection|SSL (?:SYSCALL error|error|connection has been closed)|could not (?:receive data from|send data to) server|no connection to the server|connection not open|lost synchronization with server)/

/**
 * Returns whether a node of Citus cannot be reached from its coordinator. The coordinator fails the statement and keeps the
 * connection; when it goes away itself, it ends the connection (FATAL).
 */
const isNodeLost = (error: Error, code: string): boolean =>
  'severity' in error &&
  error.severity === 'ERROR' &&
  (/^(?:08...|57P0[123])$/.test(code) || nodeMessages.test(error.message))

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '')

const causeText = (cause: unknown): string => (isError(cause) ? cause.message || codeOf(cause) : 'unknown')
