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

/**
 * Locks a file and target against other processes. Returns the function that releases the lock.
 *
 * @throws ClientFailure `conflict` while another process holds the lock
 */
export function lockLedger(
  file: string,
  name: string,
  { pid, isAlive }: { readonly pid: number; readonly isAlive: (pid: number) => boolean },
): () => void {
  makeFolder(dirname(file))
  while (!createFile(file, String(pid), { isDurable: false })) {
    const holder = holderOf(file)
    if (heldLocks.has(file) || (holder !== undefined && holder !== pid && isAlive(holder)))
      throw inProgressError(file, name, holder ?? pid)
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

const inProgressError = (file: string, name: string, pid: number): ClientFailure =>
  new ClientFailure({
    exit: 'conflict',
    code: 'in_progress',
    message: `Process ${pid} is sending the rows of ${name} to the same target. Nothing was sent.`,
    hint: `Wait for it, or stop it with Ctrl-C. If process ${pid} is another program, delete ${file}.`,
  })
