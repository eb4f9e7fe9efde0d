import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { ClientFailure } from '../../client/failures/client-failure.ts'
import { makeFolder } from '../../node/make-folder.ts'

/** Locks this process holds: in a container every run may have the same process number, and an earlier one's lock is not ours. */
const heldLocks = new Set<string>()

/**
 * Keeps everybody else from working on the same file for the same target. Answers how to let go of it.
 * @throws ClientFailure `conflict` while another process is at it
 */
export function lockLedger(
  file: string,
  name: string,
  { pid, isAlive }: { readonly pid: number; readonly isAlive: (pid: number) => boolean },
): () => void {
  makeFolder(dirname(file))
  const draft = `${file}.${pid}`
  writeFileSync(draft, String(pid), { mode: 0o600 })
  try {
    while (!isLinked(draft, file)) {
      const holder = holderOf(file)
      if (heldLocks.has(file) || (holder !== undefined && holder !== pid && isAlive(holder)))
        throw inProgressError(file, name, holder ?? pid)
      const staleFile = `${draft}.stale`
      try {
        renameSync(file, staleFile)
        // Two may find the same dead lock: who took away the living one of the other puts it back.
        if (holderOf(staleFile) !== holder) isLinked(staleFile, file)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      } finally {
        rmSync(staleFile, { force: true })
      }
    }
  } finally {
    rmSync(draft, { force: true })
  }
  heldLocks.add(file)
  return () => {
    heldLocks.delete(file)
    rmSync(file, { force: true })
  }
}

function isLinked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
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
