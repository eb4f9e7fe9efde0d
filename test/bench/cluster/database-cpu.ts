import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'

/** Returns the CPU time that all processes of a database have used, in milliseconds; undefined where it is unknown. */
export type DatabaseCpu = () => number | undefined

/** Creates a reader of the CPU time of a PostgreSQL on this machine. It needs the `/proc` of Linux. */
export async function databaseCpu(client: pg.Client): Promise<DatabaseCpu> {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const pid = Number((rows[0] as { pid: number }).pid)
  if (!existsSync(`/proc/${pid}/schedstat`)) return () => undefined
  const postmaster = parentOf(pid)
  return () => {
    const processes = readdirSync('/proc').filter((it) => /^\d+$/.test(it) && parentOf(Number(it)) === postmaster)
    const ended = postmaster === undefined ? 0 : endedChildrenMs(postmaster)
    return [String(postmaster), ...processes].reduce((sum, it) => sum + cpuMsOf(it), ended)
  }
}

/** Returns the id of the parent of a process; undefined if the process has ended. */
const parentOf = (pid: number): number | undefined => statOf(pid)?.[1]

/** Returns the fields of `/proc/<pid>/stat` after the name of the process; undefined if the process has ended. */
function statOf(pid: number): readonly number[] | undefined {
  try {
    // The name of the process, in parentheses, may have spaces.
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
  } catch {
    return undefined
  }
}

/** Milliseconds of a tick, the unit of the CPU time of processes that have ended. */
const tickMs = 10

/** Returns the CPU time of the ended children of a process. */
function endedChildrenMs(pid: number): number {
  const fields = statOf(pid) ?? []
  return ((fields[13] ?? 0) + (fields[14] ?? 0)) * tickMs
}

/** Returns the CPU time of a process. The unit of the file is nanoseconds. */
function cpuMsOf(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}
