import { hostname } from 'node:os'

/** Returns a name for a process as the owner of leases: its machine, its number, and letters that differ each time. */
export const createLeaseOwner = (pid: number): string =>
  `${hostname()}:${pid}:${Math.random().toString(36).slice(2, 10)}`

/** Returns a check whether the owner of a lease may still run: false only for a process of this machine that has ended. */
export const createOwnerCheck =
  (own: number, isAlive: (pid: number) => boolean) =>
  (owner: string): boolean => {
    const [host, pid] = owner.split(':')
    return host !== hostname() || Number(pid) === own || isAlive(Number(pid))
  }
