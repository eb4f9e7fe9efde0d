import { readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { ClientFailure } from '../../client/failures/client-failure.ts'
import { makeFolder } from '../../node/make-folder.ts'
import { removeStaleLock } from '../../node/remove-stale-lock.ts'
import { createFile } from '../../node/replace-file.ts'

/**
 * Locks held by this process. In a container every run may have the same process id, so a lock of an earlier run can
 * carry this process's id.
 */
const heldLocks = new Set<string>()

/** The process that locks, and how to find out whether another one runs. */
interface LockOwner {
  readonly pid: number
  readonly isAlive: (pid: number) => boolean
}

/**
 * Locks a file and target against other processes. Returns the function that releases the lock.
 *
 * @throws ClientFailure `conflict` while another process holds the lock
 */
export const lockLedger = (file: string, name: string, owner: LockOwner): (() => void) =>
  lockFile(file, owner, (pid) => `Process ${pid} is sending the rows of ${name} to the same target. Nothing was sent.`)

/**
 * Locks work against other processes with a file that holds the process id. Returns the function that releases it.
 *
 * @throws ClientFailure `conflict` with the message `inProgress` while another process holds the lock
 */
export function lockFile(file: string, { pid, isAlive }: LockOwner, inProgress: (pid: number) => string): () => void {
  makeFolder(dirname(file))
  while (!createFile(file, String(pid), { isDurable: false })) {
    const holder = holderOf(file)
    if (heldLocks.has(file) || (holder !== undefined && holder !== pid && isAlive(holder)))
      throw inProgressError(file, inProgress(holder ?? pid), holder ?? pid)
    removeStaleLock(file, pid, (path) => holderOf(path) === holder)
  }
  heldLocks.add(file)
  return () => {
    heldLocks.delete(file)
    rmSync(file, { force: true })
  }
}

function holderOf(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

const inProgressError = (file: string, message: string, pid: number): ClientFailure =>
  new ClientFailure({
    exit: 'conflict',
    code: 'in_progress',
    message,
    hint: `Wait for it, or stop it with Ctrl-C. If process ${pid} is another program, delete ${file}.`,
  })
