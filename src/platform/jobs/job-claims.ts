// Which due jobs a process leases. A lease is void when it ends, and when its process has died or has fallen silent.

import { accountQuery } from '../store/database/account-query.ts'
import type { Connection, ScopedQuery } from '../store/database/connection.ts'
import { isNodeAway, StoreError } from '../store/database/store-error.ts'
import { groupByAccount } from '../store/database/write-rows.ts'
import { claimJobs, leaseJobs, listDueJobs, listFirstJobs } from '../store/runtime/due-jobs.ts'
import {
  firstFreeJobAt,
  type JobRow,
  leaseUnchangedJobs,
  nextJobAt,
  releaseLeases,
} from '../store/runtime/scheduled-jobs.ts'
import { listSilentNodeIds } from '../store/runtime/server-nodes.ts'
import type { Clock } from './clock.ts'
import { DueAccounts } from './due-accounts.ts'
import { leaseMs } from './leases.ts'

/** Number of jobs read at once, for the next one, and for those of several accounts. */
const pageSize = 50
const fairPageSize = 200
/** Number of jobs handled together that count as one under the limits of a claim. */
const batchedPerJob = 10

/** Dependencies of claims. */
export interface JobClaimsDeps {
  readonly connection: Connection
  readonly clock: Clock
  /** `host:pid:nonce` of this process. The lease of a dead owner is void immediately. */
  readonly owner: string
  /** Whether the process of an owner on this machine is alive. */
  readonly isAlive: (owner: string) => boolean
  readonly wall: () => number
  /** Whether this process may take over jobs of servers without a heartbeat now (default: always). */
  readonly mayTakeOver?: (() => boolean) | undefined
  /** Returns whether jobs of a kind are handled several at once. */
  readonly isBatched: (kind: string) => Promise<boolean>
  readonly log: (text: string) => void
  /** Called when a process has scheduled jobs that this one learns of (`Connection.watchJobs`). */
  readonly onScheduled?: () => void
}

/** Limits of one claim. On a database file, jobs that are handled several at once count as a tenth. */
interface ClaimLimits {
  readonly limit: number
  readonly perAccount: number
  /** Accounts whose jobs this process has enough of. */
  readonly excludedAccounts: readonly number[]
}

/** Leases due jobs for this process. */
interface JobClaims {
  /**
   * Leases the earliest free job, together with the following ones of its kind if they are handled in batches. Returns
   * an empty list when there is none. For `drain`, where the order of due times holds for all accounts together.
   */
  claimNext(): Promise<readonly JobRow[]>
  /** Leases due jobs of several accounts, the earliest of each first. For the lanes of a server. */
  claimFairly(limits: ClaimLimits): Promise<readonly JobRow[]>
  /** Returns the platform time of the next job after a time; undefined if none is known. */
  nextAt(after: number): Promise<number | undefined>
  /** Returns the platform time of the first job, due or not, that no process leases; undefined if none is known. */
  firstFreeAt(): Promise<number | undefined>
}

/** Creates the claims of a process. */
export function createJobClaims(deps: JobClaimsDeps): JobClaims {
  const { connection, clock, owner, wall, mayTakeOver = () => true } = deps
  const isServer = connection.dialect === 'postgres'
  let latestLease = 0
  /** The account that had the last turn. */
  let lastAccount = 0

  /**
   * Runs a transaction that leases jobs until a time that no other lease of this process has. If it is not known whether
   * it was saved, the jobs are released, so that they need not wait for the end of the lease.
   */
  async function claim<S extends 'rows' | { readonly rows: number }>(
    scope: S,
    body: (query: ScopedQuery<S>, leaseUntil: number) => Promise<JobRow[]>,
  ): Promise<JobRow[]> {
    latestLease = Math.max(latestLease + 1, wall() + leaseMs)
    const leaseUntil = latestLease
    try {
      return await connection.write(scope, (query) => body(query, leaseUntil))
    } catch (error) {
      if (error instanceof StoreError && error.reason === 'unknown_outcome')
        await connection.write(scope, (query) => releaseLeases(query, owner, leaseUntil))
      throw error
    }
  }

  /** Returns the free ones of jobs. */
  async function filterFree(rows: readonly JobRow[]): Promise<JobRow[]> {
    const isLeased = (row: JobRow): boolean => row.lease_owner !== null && row.lease_until > wall()
    const isDead = (row: JobRow): boolean => !deps.isAlive(row.lease_owner as string)
    if (!rows.some(isLeased)) return [...rows]
    const silent = new Set(isServer && mayTakeOver() ? await listSilentNodeIds(connection.read, wall()) : [])
    return rows.filter((row) => !isLeased(row) || isDead(row) || silent.has(row.lease_owner as string))
  }

  /** Leases jobs, on shards in one transaction for each account. Rejects only if it has leased none. */
  async function lease(rows: readonly JobRow[]): Promise<JobRow[]> {
    if (!connection.isSharded?.())
      return claim('rows', (query, leaseUntil) =>
        (isServer ? leaseJobs : leaseUnchangedJobs)(query, rows, { owner, leaseUntil }),
      )
    const leased: JobRow[] = []
    let failure: unknown
    for (const [account, jobs] of groupByAccount(rows))
      await leaseOf(account, jobs).then(
        (own) => leased.push(...own),
        (error: unknown) => {
          failure ??= error
        },
      )
    if (leased.length === 0 && failure !== undefined) throw failure
    return inOrder(leased)
  }

  const leaseOf = (account: number, jobs: readonly JobRow[]): Promise<JobRow[]> =>
    claim({ rows: account }, (query, leaseUntil) => leaseJobs(query, jobs, { owner, leaseUntil }))

  const own = () => ({ owner, wall: wall() })

  async function* freePages(until: number): AsyncGenerator<JobRow[]> {
    let last: JobRow | undefined
    do {
      const page = await listDueJobs(connection.read, { until, limit: pageSize, own: own(), after: last })
      yield await filterFree(page)
      last = page.length === pageSize ? page.at(-1) : undefined
    } while (last)
  }

  async function batchAt(rows: readonly JobRow[], at: number): Promise<readonly JobRow[]> {
    const { kind } = rows[at] as JobRow
    if (!(await deps.isBatched(kind))) return rows.slice(at, at + 1)
    const end = rows.findIndex((row, n) => n > at && row.kind !== kind)
    return rows.slice(at, end < 0 ? undefined : end)
  }

  /** Finds free jobs, at most `perAccount` of each account. Reads again only for accounts that are behind others. */
  async function findFairly(until: number, { limit, perAccount, excludedAccounts }: ClaimLimits): Promise<JobRow[]> {
    const weights = new Map<string, number>()
    const used = new Map<number, number>()
    const full = new Set(excludedAccounts)
    const found: JobRow[] = []
    let room = limit * batchedPerJob
    let last: JobRow | undefined
    for (let pages = 0; pages < 2; pages++) {
      const request = { until, limit: fairPageSize, own: own(), after: last, excludedAccounts: [...full] }
      const page = await listDueJobs(connection.read, request)
      for (const row of await filterFree(page)) {
        const { account_id: account, kind } = row
        const weight = weights.get(kind) ?? ((await deps.isBatched(kind)) ? 1 : batchedPerJob)
        weights.set(kind, weight)
        const sum = (used.get(account) ?? 0) + weight
        if (sum > perAccount * batchedPerJob || weight > room) full.add(account)
        if (full.has(account)) continue
        used.set(account, sum)
        room -= weight
        found.push(row)
      }
      last = page.at(-1)
      if (page.length < fairPageSize || room === 0) break
    }
    return found
  }

  /** Leases jobs of the accounts whose turn it is, on PostgreSQL. */
  async function claimInTurns(until: number, limits: ClaimLimits): Promise<JobRow[]> {
    const request = { owner, until, wall: wall(), mayTakeOver: mayTakeOver(), afterAccount: lastAccount, ...limits }
    return claim('rows', async (query, leaseUntil) => {
      const claimed = await claimJobs(query, { ...request, leaseUntil })
      lastAccount = claimed.lastAccount
      return claimed.rows
    })
  }

  const dueAccounts = new DueAccounts({ ...deps, mayTakeOver })
  connection.watchJobs?.((account) => {
    if (connection.isSharded?.()) dueAccounts.note(account)
    deps.onScheduled?.()
  })

  /** Leases jobs of accounts that have due ones, on shards: each account needs statements of its own. */
  async function claimOfDueAccounts(until: number, { limit, perAccount, excludedAccounts }: ClaimLimits) {
    await dueAccounts.refresh(until)
    for (;;) {
      const accounts = dueAccounts.take(until, Math.ceil(limit / perAccount), new Set(excludedAccounts))
      const claims = await Promise.allSettled(accounts.map((it) => claimOf(it, until, perAccount)))
      const leased = claims.flatMap((it) => (it.status === 'fulfilled' ? it.value : []))
      const failed = claims.find((it) => it.status === 'rejected')
      if (failed && leased.length === 0) throw failed.reason
      if (leased.length > 0 || accounts.length === 0) return inOrder(leased)
    }
  }

  /** Leases the first due jobs of an account, and notes when the next one is due. */
  async function claimOf(account: number, until: number, limit: number): Promise<JobRow[]> {
    try {
      const first = await listFirstJobs(accountQuery(connection.read, account), own(), limit + 1)
      const due = first.filter((it) => it.due_at <= until).slice(0, limit)
      const free = await filterFree(due)
      const leased = free.length > 0 ? await leaseOf(account, free) : []
      const next = first[due.length]
      if (next) dueAccounts.note(account, next.due_at)
      dueAccounts.succeed(account)
      return leased
    } catch (error) {
      dueAccounts.note(account)
      if (!isNodeAway(error)) throw error
      dueAccounts.postpone(account, error)
      return []
    }
  }

  return {
    async claimNext() {
      for await (const free of freePages(await clock.now())) {
        for (let at = 0; at < free.length; ) {
          const group = await batchAt(free, at)
          const leased = await lease(group)
          if (leased.length > 0) return leased
          at += group.length
        }
      }
      return []
    },

    async claimFairly(limits) {
      const until = await clock.now()
      if (connection.isSharded?.()) return claimOfDueAccounts(until, limits)
      if (isServer) return claimInTurns(until, limits)
      const found = await findFairly(until, limits)
      return found.length > 0 ? lease(found) : []
    },

    firstFreeAt: async () => (connection.isSharded?.() ? dueAccounts.firstAt() : firstFreeJobAt(connection.read)),

    nextAt: async (after) => (connection.isSharded?.() ? dueAccounts.nextAt(after) : nextJobAt(connection.read, after)),
  }
}

const inOrder = (rows: readonly JobRow[]): JobRow[] => [...rows].sort((a, b) => a.due_at - b.due_at || a.id - b.id)
