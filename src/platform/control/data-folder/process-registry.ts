// Which processes use a data folder, as files with their ids. Restores and migrations require that there is no other.

import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** How the names of these files begin. Processes of other versions find them by it: it never changes. */
const prefix = 'open.'
const hostId = (): string => hostname().replace(/[^\w-]/g, '_')

/**
 * Registers a process that uses the data folder. Returns a function that unregisters it. Entries of dead processes are
 * removed.
 */
export function registerProcess(
  dataDir: string,
  pid: number,
  isAlive: (pid: number) => boolean = () => true,
): () => void {
  otherProcesses(dataDir, pid, isAlive)
  const file = join(dataDir, `${prefix}${hostId()}.${pid}.${Math.random().toString(36).slice(2, 8)}`)
  writeFileSync(file, '', { mode: 0o600 })
  return () => rmSync(file, { force: true })
}

/**
 * Returns the ids of other processes that use the data folder. Entries of dead processes on this machine are removed.
 */
export function otherProcesses(dataDir: string, own: number, isAlive: (pid: number) => boolean): number[] {
  return readdirSync(dataDir).flatMap((fileName) => {
    const [, host, number] = /^open\.([\w-]+)\.(\d+)\.[a-z0-9]+$/.exec(fileName) ?? []
    const pid = Number(number)
    if (host === undefined || pid === own) return []
    if (host !== hostId() || isAlive(pid)) return [pid]
    rmSync(join(dataDir, fileName), { force: true })
    return []
  })
}
