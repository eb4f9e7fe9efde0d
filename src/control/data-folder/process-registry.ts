import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

const prefix = 'open.'
const hostId = (): string => hostname().replace(/[^\w-]/g, '_')

/**
 * Says that a process works with the folder's data; answers how to take that back. Killed ones are found by their number: what they left is removed.
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

/** Numbers of the other processes that work with the folder's data. What dead ones of this machine left is cleared away. */
export function otherProcesses(dataDir: string, own: number, isAlive: (pid: number) => boolean): number[] {
  return readdirSync(dataDir).flatMap((it) => {
    const [, host, number] = /^open\.([\w-]+)\.(\d+)\.[a-z0-9]+$/.exec(it) ?? []
    const pid = Number(number)
    if (host === undefined || pid === own) return []
    if (host !== hostId() || isAlive(pid)) return [pid]
    rmSync(join(dataDir, it), { force: true })
    return []
  })
}
