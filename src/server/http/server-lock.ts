import { readFileSync, renameSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import type { Vocabulary } from '../../contract/vocabulary/vocabulary.ts'
import { createFile, linkFile } from '../../node/replace-file.ts'

/** What a server leaves in its data folder while it runs. */
export interface ServerLock {
  readonly url: string
  readonly pid: number
  readonly started_at: string
  /** The words it speaks, for commands on the same folder; absent for neutral ones. */
  readonly vocabulary?: 'public' | Vocabulary
}

/** Another server serves the folder. */
export class ServerLockHeld extends Error {
  readonly exit = 'conflict'
  readonly hint = 'Stop it first: parley server stop.'

  constructor({ url, pid }: ServerLock) {
    super(`A server for this data folder is already running: ${url} (process ${pid}).`)
  }
}

/**
 * Leaves `own` in `file` unless the server of another one there still runs. Answers how to take it away again.
 * @throws LockHeld
 */
export async function acquireLock(
  file: string,
  own: ServerLock,
  isAlive: (pid: number) => boolean,
): Promise<() => void> {
  for (;;) {
    if (createFile(file, `${JSON.stringify(own)}\n`, { isDurable: false })) return () => releaseLock(file, own)
    const held = readLock(file)
    if (held && isAlive(held.pid) && (await isListening(held.url))) throw new ServerLockHeld(held)
    removeStale(file, held, `${file}.${own.pid}.stale`)
  }
}

/** Two may find the same stale lock: the second must not take away the one that the first put in its place. */
function removeStale(file: string, held: ServerLock | undefined, stalePath: string): void {
  try {
    renameSync(file, stalePath)
    if (readLock(stalePath)?.url !== held?.url) linkFile(stalePath, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  } finally {
    rmSync(stalePath, { force: true })
  }
}

function releaseLock(file: string, own: ServerLock): void {
  const held = readLock(file)
  if (held?.pid === own.pid && held.url === own.url) rmSync(file, { force: true })
}

function readLock(file: string): ServerLock | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ServerLock
  } catch {
    return undefined
  }
}

/** A process number may have gone to somebody else since: whoever really serves takes connections. */
function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), timeout: 1000 })
    const end = (answer: boolean) => () => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', end(true)).once('timeout', end(true)).once('error', end(false))
  })
}
