// Locks between processes of one folder, perhaps on several machines or containers that share it. Lock files of version 0.1
// are understood.

import { closeSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { parseJson, stringifyJson } from './json.ts'
import { removeFile } from './operating-system.ts'
import { currentProcess, identify, isRunning, type ProcessIdentity, type ProcessOwner } from './process-identity.ts'
import { realTime } from './real-time.ts'
import { createFile } from './replace-file.ts'

/** A lock that this process holds. */
export interface FileLock {
  /**
   * Returns whether this process still holds the lock, at most a second ago. After it was suspended for longer than `expiryMs`, a process of
   * another machine or container may have it.
   */
  isHeld(): boolean
  release(): void
}

/** Another process holds the lock. `lock-work.ts` of the command line writes the message that users see. */
export class FileLocked extends Error {
  readonly file: string
  /** The process; undefined if the lock file does not say. */
  readonly holder: ProcessIdentity | undefined

  constructor(file: string, holder: ProcessIdentity | undefined) {
    super(`${file} is locked${holder ? ` by process ${holder.pid}` : ''}.`)
    this.file = file
    this.holder = holder
  }
}

/** Milliseconds between signs of life, which are writes to the lock file. Far below `expiryMs`, after which any version takes the lock over. */
const heartbeatMs = 3_000
/** Milliseconds for which the result of a check is used. */
const checkIntervalMs = 1_000
/** Milliseconds without a sign of life after which the lock of another machine or container is stale. */
export const expiryMs = 30_000
/** Milliseconds that `whileFileLocked` waits: longer than a crashed holder can have the lock. */
const waitLimitMs = expiryMs + 10_000

/** Locks held by this process, which in a container may have the process id of an earlier one. */
const heldIds = new Set<string>()

interface Found {
  /** Differs for each lock. */
  readonly id: string
  readonly owner: ProcessIdentity | undefined
  readonly changedMs: number
}

/**
 * Locks work against other processes with a file, whose folder must exist. The lock of a process that has ended is taken
 * over. @throws FileLocked while another process holds it
 */
export function lockFile(file: string, owner: ProcessOwner = currentProcess): FileLock {
  const id = acquire(file, owner, () => false)
  let checkedAt = realTime.now()
  const isHeld = (): boolean => {
    // Not by a monotonic clock, which stops while the system sleeps.
    if (Math.abs(realTime.now() - checkedAt) < checkIntervalMs) return heldIds.has(id)
    if (!beat(file, id)) heldIds.delete(id)
    checkedAt = realTime.now()
    return heldIds.has(id)
  }
  const timer = realTime.setInterval(() => beat(file, id), heartbeatMs)
  timer.unref()
  return {
    isHeld,
    release() {
      realTime.clearInterval(timer)
      release(file, id)
    },
  }
}

/**
 * Does short synchronous work, such as replacing a file, while no other process does it: waits for the lock file, whose
 * folder must exist. @throws FileLocked if the lock is not released in time
 */
export function whileFileLocked<T>(file: string, work: () => T): T {
  const since = realTime.monotonicMs()
  const id = acquire(file, currentProcess, () => {
    if (realTime.monotonicMs() - since > waitLimitMs) return false
    pause(1 + Math.random() * 4)
    return true
  })
  try {
    return work()
  } finally {
    release(file, id)
  }
}

/** Creates the lock file and returns the id in it. `wait` waits for another holder, or returns false to stop. */
function acquire(file: string, owner: ProcessOwner, wait: () => boolean): string {
  const id = newId(owner)
  for (;;) {
    if (create(file, id, owner)) return id
    const found = read(file)
    // It was just released.
    if (found === undefined) continue
    // Work of this process cannot continue while it waits for itself.
    if (heldIds.has(found.id)) throw new FileLocked(file, found.owner)
    if (isInUse(file, found, owner)) {
      if (!wait()) throw new FileLocked(file, found.owner)
    } else removeStale(file, found, owner)
  }
}

/** Creates a lock file with its whole text, which other versions read: fields are added and not renamed. Returns false if there is one. */
function create(file: string, id: string, { pid }: ProcessOwner): boolean {
  // The id is first: `beat` recognizes the lock by the beginning of the text.
  const text = `${stringifyJson({ id, ...identify(pid) })}\n`
  try {
    if (!createFile(file, text, { isDurable: false })) return false
  } catch (error) {
    if (!isLinkRefused(error)) throw error
    try {
      writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
    } catch (failed) {
      if ((failed as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw failed
    }
  }
  heldIds.add(id)
  return true
}

/** Some file systems have no links. */
const isLinkRefused = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall === 'link'

const newId = ({ pid }: ProcessOwner): string => `${pid}-${Math.random().toString(36).slice(2)}`

/** Reads a lock file; undefined if there is none. */
function read(file: string): Found | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return undefined
  const unknown = { id: `${stat.ino}-${stat.mtimeMs}`, owner: undefined, changedMs: stat.mtimeMs }
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : unknown
  }
  try {
    const value = parseJson(text) as number | (ProcessIdentity & { readonly id: string })
    // Version 0.1 wrote the process id alone.
    if (typeof value === 'number') return { ...unknown, owner: { ...identify(value), started: null } }
    return { id: String(value.id), owner: value, changedMs: stat.mtimeMs }
  } catch {
    return unknown
  }
}

/** Returns whether the holder of a lock may still run. */
function isInUse(file: string, { owner, changedMs }: Found, by: ProcessOwner): boolean {
  const running = owner && isRunning(owner, by)
  if (owner && running === true && owner.pid === by.pid) return owner.started !== null && by.pid === currentProcess.pid
  return running ?? fileSystemNow(file) - changedMs < expiryMs
}

/** Returns the time of the file system of a file, which may be that of another machine. */
function fileSystemNow(file: string): number {
  const probe = `${file}.${Math.random().toString(36).slice(2)}.time`
  closeSync(openSync(probe, 'wx', 0o600))
  try {
    return statSync(probe).mtimeMs
  } finally {
    removeFile(probe)
  }
}

/**
 * Removes a stale lock. Only one process may remove a certain lock: the one that creates the next marker for it. So a
 * process that found it stale earlier cannot remove the lock of its successor.
 */
function removeStale(file: string, { id }: Found, owner: ProcessOwner): void {
  const markers: string[] = []
  const markerId = newId(owner)
  for (let n = 1; ; n++) {
    const marker = `${file}.${id}.${n}`
    markers.push(marker)
    if (create(marker, markerId, owner)) break
    const other = read(marker)
    // That process removes the lock. One that has ended in between left its marker.
    if (other === undefined || isInUse(marker, other, owner)) return pause(1)
  }
  try {
    if (read(file)?.id === id) removeFile(file)
  } finally {
    heldIds.delete(markerId)
    for (const marker of markers) removeFile(marker)
  }
}

/** Writes a sign of life. Returns whether the lock still belongs to this process. */
function beat(file: string, id: string): boolean {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, 'r+')
    const text = readFileSync(descriptor, 'utf8')
    if (!text.startsWith(`{"id":${stringifyJson(id)},`)) return false
    writeSync(descriptor, text, 0)
    return true
  } catch {
    return false
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function release(file: string, id: string): void {
  heldIds.delete(id)
  if (read(file)?.id === id) removeFile(file)
}

const pause = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
