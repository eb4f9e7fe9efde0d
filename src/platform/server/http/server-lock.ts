// Commands find a running server by this file (findServer of src/cli/program/connection/connect.ts), also commands of another
// version: fields are added and not renamed.

import { readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import type { Vocabulary } from '../../../contract/vocabulary/vocabulary.ts'
import { whileFileLocked } from '../../../node/file-lock.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { createFile } from '../../../node/replace-file.ts'

/** The lock file of a running server in its data folder. */
export interface ServerLock {
  readonly url: string
  readonly pid: number
  readonly started_at: string
  /** Maximum milliseconds that the server takes to stop. */
  readonly stop_limit_ms?: number
  /** The vocabulary of the server, for commands on the same folder; absent if neutral. */
  readonly vocabulary?: 'public' | Vocabulary
  /** Whether it has an inspector. */
  readonly inspector?: boolean
}

/** Another server uses the folder. */
class ServerLockHeld extends Error {
  readonly exit = 'conflict'
  readonly hint = 'Stop it first: parley server stop.'

  constructor({ url, pid }: ServerLock) {
    super(`A server for this data folder is already running: ${url} (process ${pid}).`)
  }
}

/**
 * Acquires the lock by writing `own` to `file`, unless another server is running. Returns a function that releases it.
 * @throws ServerLockHeld
 */
export async function acquireLock(
  file: string,
  own: ServerLock,
  isAlive: (pid: number) => boolean,
): Promise<() => void> {
  for (;;) {
    if (createFile(file, `${stringifyJson(own)}\n`, { isDurable: false })) return () => releaseLock(file, own)
    const text = readText(file)
    const held = parseLock(text)
    if (held && isAlive(held.pid) && (await isListening(held.url))) throw new ServerLockHeld(held)
    // Another server may have replaced the stale lock by its own.
    whileFileLocked(`${file}.lock`, () => {
      if (readText(file) === text) rmSync(file, { force: true })
    })
  }
}

function releaseLock(file: string, own: ServerLock): void {
  const held = parseLock(readText(file))
  if (held?.pid === own.pid && held.url === own.url) rmSync(file, { force: true })
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function parseLock(text: string | undefined): ServerLock | undefined {
  try {
    return text === undefined ? undefined : (parseJson(text) as ServerLock)
  } catch {
    return undefined
  }
}

/**
 * Returns whether a server accepts connections. The process id alone is not enough, because another process may have it
 * now.
 */
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
