import { dirname } from 'node:path'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { expiryMs, type FileLock, FileLocked, lockFile } from '../../../node/file-lock.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { type ProcessOwner, processName } from '../../../node/process-identity.ts'

// One process at a time for work that must not be done twice: sending the rows of a file, a purchase with a file, a push. A
// killed process does not block the next one, because its lock expires; a suspended one can lose its lock.

/**
 * Locks work against other processes with a file. The caller renews and releases the lock, and stops with `lockLostError` once it is
 * lost. `code` is the `code` of the JSON error, which scripts read. `inProgress` returns the message for the name of the process that does
 * it, such as `Process 12`.
 * @throws ClientFailure `conflict` while another process holds the lock
 */
export function lockWork(
  file: string,
  owner: ProcessOwner,
  inProgress: (process: string) => string,
  code = 'in_progress',
): FileLock {
  makeFolder(dirname(file))
  try {
    return lockFile(file, owner)
  } catch (error) {
    if (!(error instanceof FileLocked)) throw error
    const name = error.holder ? processName(error.holder) : 'Another process'
    throw new ClientFailure({
      exit: 'conflict',
      code,
      message: inProgress(name),
      hint: `Wait for it, or stop it with Ctrl-C. If it was killed elsewhere, its lock ends after ${expiryMs / 1000} seconds. If ${name.charAt(0).toLowerCase()}${name.slice(1)} is another program, delete ${file}.`,
      cause: error,
    })
  }
}

/** Returns the failure of sending rows without the lock, which another process has taken over. */
export const lockLostError = (name: string): ClientFailure =>
  new ClientFailure({
    exit: 'conflict',
    code: 'lock_lost',
    message: `This process was suspended, and another one sends the rows of ${name} now. The remaining rows were not sent.`,
    hint: 'Wait for it, then run the same command again.',
  })
