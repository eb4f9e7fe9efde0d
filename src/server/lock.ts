import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Vocabulary } from '../contract/vocabulary.ts'

/** What a server leaves in its data folder while it runs. */
export interface Lock {
  readonly url: string
  readonly pid: number
  readonly started_at: string
  /** The words it speaks, for commands on the same folder; absent for neutral ones. */
  readonly vocabulary?: 'public' | Vocabulary
}

/** Another server serves the folder. */
export class LockHeld extends Error {
  readonly exit = 'conflict'
  readonly hint = 'Stop it first: parley server stop.'

  constructor({ url, pid }: Lock) {
    super(`A server for this data folder runs already: ${url} (process ${pid}).`)
  }
}

/**
 * Leaves `own` in `file` unless the server of another one there still runs. Answers how to take it away again.
 * @throws LockHeld
 */
export async function takeLock(file: string, own: Lock, isAlive: (pid: number) => boolean): Promise<() => void> {
  const draft = `${file}.${own.pid}`
  writeFileSync(draft, `${JSON.stringify(own)}\n`, { mode: 0o600 })
  try {
    for (;;) {
      if (isLinked(draft, file)) return () => release(file, own)
      const held = read(file)
      if (held && isAlive(held.pid) && (await isListening(held.url))) throw new LockHeld(held)
      removeStale(file, held, draft)
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

function isLinked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

/** Two may find the same stale lock: the second must not take away the one that the first put in its place. */
function removeStale(file: string, held: Lock | undefined, draft: string): void {
  const aside = `${draft}.stale`
  try {
    renameSync(file, aside)
    if (read(aside)?.url !== held?.url) isLinked(aside, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

function release(file: string, own: Lock): void {
  const held = read(file)
  if (held?.pid === own.pid && held.url === own.url) rmSync(file, { force: true })
}

function read(file: string): Lock | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Lock
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
