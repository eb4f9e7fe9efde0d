import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * Identifies a process in lock files, the journal and approvals, so that another process can find out whether it still runs.
 * Other versions read them: fields are added, not renamed.
 */
export interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  /** Namespace of process ids, such as that of a container; empty where there is only one. */
  readonly space: string
  /** When the process started, in units that are only comparable; null where the system does not show it. */
  readonly started: string | null
}

/** A process, and how to find out whether another one of the same machine runs. */
export interface ProcessOwner {
  readonly pid: number
  readonly isAlive: (pid: number) => boolean
}

/** The current process. */
export const currentProcess: ProcessOwner = {
  pid: process.pid,
  isAlive(pid) {
    try {
      return process.kill(pid, 0)
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM'
    }
  },
}

interface Machine extends Pick<ProcessIdentity, 'host' | 'space'> {
  /** Id of the current run of the system; undefined if it does not show when processes started. */
  readonly boot: string | undefined
}

/** Read once, because each value is a system call. */
let machine: Machine | undefined

function ownMachine(): Machine {
  machine ??= {
    host: hostname(),
    space: orUndefined(() => readlinkSync('/proc/self/ns/pid')) ?? '',
    // A folder /proc of another namespace lists other processes under the same ids.
    boot:
      orUndefined(() => statOf('self'))?.pid === String(process.pid)
        ? orUndefined(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
        : undefined,
  }
  return machine
}

/** Returns the identity of a process of this machine. */
export const identify = (pid: number): ProcessIdentity => {
  const { host, space } = ownMachine()
  return { pid, host, space, started: startOf(pid) ?? null }
}

/**
 * Returns whether a process runs; undefined if that cannot be known, because it belongs to another machine or
 * container. Another process that has its id now does not count.
 */
export function isRunning(
  { pid, host, space, started }: ProcessIdentity,
  { isAlive }: ProcessOwner,
): boolean | undefined {
  const own = ownMachine()
  if (host !== own.host || space !== own.space) return undefined
  if (!isAlive(pid)) return false
  const current = started === null ? undefined : startOf(pid)
  return current === undefined || current === started
}

/** Returns the name of a process for messages, with its machine if that is another one. */
export function processName({ pid, host, space }: ProcessIdentity): string {
  const own = ownMachine()
  if (host !== own.host) return `Process ${pid} on ${host}`
  return space === own.space ? `Process ${pid}` : `Process ${pid} of another container`
}

function startOf(pid: number): string | undefined {
  const { boot } = ownMachine()
  const started = boot === undefined ? undefined : orUndefined(() => statOf(String(pid)))?.started
  return started === undefined ? undefined : `${boot} ${started}`
}

/** Reads the id and the start time of a process. Its name may contain spaces and parentheses. */
function statOf(pid: string): { readonly pid: string; readonly started: string | undefined } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return {
    pid: text.slice(0, text.indexOf(' ')),
    started: text.slice(text.lastIndexOf(')') + 2).split(' ')[19],
  }
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
