import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Context } from '../context.ts'
import { findWrite } from '../resources/registry.ts'

/**
 * Error code of a command that ended before its write because the write could not have been undone. Scripts read it as
 * `code` of the error.
 */
export const undoUnavailableCode = 'undo_unavailable'

/** How to write without an undo, for hints. */
export const withoutUndoHint = 'To continue without an undo, pass --no-history.'

/** Returns whether writes of this command are saved in the history. */
export const savesHistory = async (context: Context): Promise<boolean> => (await context.settings()).history.value

/** Returns whether the command makes a write that the history records. */
export const isRecordedWrite = ({ command: { endpoint }, commandName }: Context): boolean =>
  endpoint !== undefined && findWrite(endpoint.name, commandName) !== undefined

/**
 * Returns whether the command continues when what it checks before a write cannot be read: it reduces harm, only shows the
 * write, or the user switched the history off.
 */
export const mayWriteUnchecked = async (context: Context): Promise<boolean> => {
  const { command, globals } = context
  return command.reducesHarm || globals.dryRun || globals.printCurl || !(await savesHistory(context))
}

/** Returns whether an error says that the platform has no such endpoint, so that repeating the request cannot help. */
export const isNotOffered = ({ code, status }: Pick<ClientFailure, 'code' | 'status'>): boolean =>
  code === 'not_offered' || code === 'no_route' || status === 405 || status === 501

/** Returns whether an error is the answer, or the missing answer, to a request. Wrong settings and Ctrl-C are not. */
const isFailedRequest = (error: unknown): error is ClientFailure =>
  error instanceof ClientFailure &&
  error.exit !== 'interrupted' &&
  (error.status !== undefined || error.sent !== undefined)

/**
 * Returns the error of a command that ends before its write because of a failed read. It has the exit code of the read.
 * `what` is a clause: `The tool could not be read, so its update could not be undone`.
 */
export function undoUnavailable(error: ClientFailure, what: string, wayOut = withoutUndoHint): ClientFailure {
  const { exit, message, hint, status, details, requestId, retryAfter } = error
  return new ClientFailure({
    exit,
    code: undoUnavailableCode,
    message: `${what}: ${message.replace(/\.?$/, '.')} Nothing was changed.`,
    hint: [hint, wayOut].filter(Boolean).join(' '),
    sent: false,
    details,
    cause: error,
    ...(status !== undefined && { status }),
    ...(requestId !== undefined && { requestId }),
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

/**
 * Runs a read without which a write is not sent. @throws ClientFailure `undo_unavailable` if it failed; a missing
 * resource or endpoint keeps its own error
 */
export async function readBeforeWrite<T>(singular: string, read: () => Promise<T>, wayOut?: string): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const isKnown = (failure: ClientFailure): boolean =>
      failure.exit === 'not_found' || isNotOffered(failure) || failure.code === undoUnavailableCode
    if (!isFailedRequest(error) || isKnown(error)) throw error
    throw undoUnavailable(error, `The ${singular} could not be read before the change`, wayOut)
  }
}

/**
 * Why a resource was not read before a write that is sent nevertheless: it does not exist, the platform has no endpoint
 * that reads it, or the read failed and the command may continue.
 */
export class Unread {
  readonly reason: 'gone' | 'not_offered' | 'failed'
  readonly error: ClientFailure

  constructor(reason: Unread['reason'], error: ClientFailure) {
    this.reason = reason
    this.error = error
  }
}

/**
 * Runs a read whose result makes an undo possible. @throws ClientFailure `undo_unavailable` if it failed and the command
 * may not continue
 */
export async function readForUndo<T>(context: Context, singular: string, read: () => Promise<T>): Promise<T | Unread> {
  try {
    return await readBeforeWrite(singular, read)
  } catch (error) {
    if (!(error instanceof ClientFailure) || context.system.signal.aborted) throw error
    if (isNotOffered(error)) return new Unread('not_offered', error)
    if (error.exit === 'not_found') return new Unread('gone', error)
    if (error.code === undoUnavailableCode && (await mayWriteUnchecked(context)))
      return new Unread('failed', error.cause as ClientFailure)
    throw error
  }
}
