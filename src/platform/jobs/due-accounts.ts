// Which accounts have jobs that are due, on shards. A server learns of the jobs that its own transactions schedule, and searches all
// shards for others only now and then, because a statement over all shards costs the database many times one of an account.
// job-claims.ts uses it in this order: `refresh`, `take`, then for each account `note` of its next job and `succeed`, or `postpone`.

import { messageOf } from '../../node/is-error.ts'
import type { Connection } from '../store/database/connection.ts'
import { findDueAccounts } from '../store/runtime/due-jobs.ts'
import { listHeartbeats, nodeTimeoutMs } from '../store/runtime/server-nodes.ts'

/** Milliseconds between two searches of all shards: how late a job may start of which no server has learned. */
const searchMs = 15_000
/** Milliseconds between two reads of the other servers. */
const nodesMs = 1000
/** Milliseconds until a server reads again the jobs of an account whose node it could not reach. */
const retryMs = 5000
/** Maximum number of accounts that one search finds. */
const searchLimit = 4000

interface DueAccountsDeps {
  readonly connection: Connection
  readonly wall: () => number
  /** Whether jobs of servers without a heartbeat may be taken over now (`ServerNode` of server-nodes.ts). */
  readonly mayTakeOver: () => boolean
  readonly log: (text: string) => void
}

/** The accounts that have due jobs or will have, as far as this server knows. Times are those of the platform. */
export class DueAccounts {
  readonly #deps: DueAccountsDeps
  /** When the earliest job of each account is due, in the order of their turns. */
  readonly #dueAt = new Map<number, number>()
  /** Accounts whose node does not answer, with the wall time in milliseconds of the next attempt. */
  readonly #postponed = new Map<number, number>()
  /** Servers that had a heartbeat at the last read, those that had none, and the wall time of the read in milliseconds. */
  #live: readonly string[] = []
  #silent: readonly string[] = []
  #nodesReadAt = Number.NEGATIVE_INFINITY
  /** Wall time in milliseconds of the next search of all shards, and platform time until which it is not needed. */
  #nextSearch = 0
  #searchedUntil = Number.NEGATIVE_INFINITY
  /** Whether the last search found as many accounts as it may: there may be more. */
  #isPartial = false

  constructor(deps: DueAccountsDeps) {
    this.#deps = deps
  }

  /** Notes that an account has a job at a time; without a time, that its jobs have changed. Without an account, of any. */
  note(account: number | undefined, at = Number.NEGATIVE_INFINITY): void {
    if (account === undefined) this.#nextSearch = 0
    else if (at < (this.#dueAt.get(account) ?? Number.POSITIVE_INFINITY)) this.#dueAt.set(account, at)
  }

  /** Lets an account wait whose node cannot be reached. */
  postpone(account: number, error: unknown): void {
    if (!this.#postponed.has(account)) this.#deps.log(`jobs of account ${account}: ${messageOf(error)}`)
    this.#postponed.set(account, this.#deps.wall() + retryMs)
  }

  /** Notes that the jobs of an account were read. */
  succeed(account: number): void {
    this.#postponed.delete(account)
  }

  /** Searches all shards if it is time, if a server has ended, if the clock was set forward, or for more due accounts. */
  async refresh(now: number): Promise<void> {
    const { connection, wall, log } = this.#deps
    if (wall() - this.#nodesReadAt >= nodesMs) await this.#readNodes()
    const isDone = this.#isPartial && ![...this.#dueAt.values()].some((it) => it <= now)
    if (wall() < this.#nextSearch && now < this.#searchedUntil && !isDone) return
    const until = now + searchMs * 1000
    const request = { until, wall: wall(), silentNodes: this.#silent, limit: searchLimit }
    const { accounts, isPartial, unreachable } = await findDueAccounts(connection.read, request)
    for (const { account, dueAt } of accounts) this.note(account, dueAt)
    if (unreachable !== undefined) log(`jobs: ${unreachable}`)
    this.#nextSearch = wall() + (unreachable === undefined ? searchMs : retryMs)
    this.#searchedUntil = until
    this.#isPartial = isPartial
  }

  /** Reads which servers have a heartbeat. The leases of the others are void, which a search of all shards finds out. */
  async #readNodes(): Promise<void> {
    const { connection, wall, mayTakeOver } = this.#deps
    this.#nodesReadAt = wall()
    this.#silent = []
    if (!mayTakeOver()) return
    const nodes = await listHeartbeats(connection.read)
    const isLive = ({ seen_at }: { readonly seen_at: number }): boolean => seen_at > wall() - nodeTimeoutMs
    const live = nodes.filter(isLive).map((it) => it.id)
    if (this.#live.some((it) => !live.includes(it))) this.#nextSearch = 0
    this.#live = live
    this.#silent = nodes.filter((it) => !isLive(it)).map((it) => it.id)
  }

  /** Takes accounts that have due jobs and are not excluded, each in its turn. The caller notes what is left of them. */
  take(now: number, limit: number, excluded: ReadonlySet<number>): number[] {
    const wall = this.#deps.wall()
    const taken: number[] = []
    for (const [account, dueAt] of this.#dueAt) {
      if (taken.length >= limit) break
      if (dueAt > now || excluded.has(account) || (this.#postponed.get(account) ?? 0) > wall) continue
      taken.push(account)
    }
    for (const account of taken) this.#dueAt.delete(account)
    return taken
  }

  /** Returns when the first job is due, which may be in the past; undefined if none is known. */
  firstAt(): number | undefined {
    return this.#dueAt.size > 0 ? Math.min(...this.#dueAt.values()) : undefined
  }

  /** Returns when the next job after a time is due; undefined if none is known. */
  nextAt(after: number): number | undefined {
    let next: number | undefined
    for (const dueAt of this.#dueAt.values()) if (dueAt > after && (next === undefined || dueAt < next)) next = dueAt
    return next
  }
}
