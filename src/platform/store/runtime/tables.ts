// Columns of these tables, as their migrations create them: another column needs a migration, and a released one never
// changes (src/platform/store/migrations). Times are microseconds since 1970, money is millionths of a USD, booleans are 0 or 1,
// unless a column says otherwise.

import type { ColumnType, Generated } from 'kysely'
import type { FaultRule } from '../../../contract/control/faults.ts'
import type { JsonText } from '../../../node/json.ts'

/** Scheduled job, such as a delivery, a renewal or an unfinished purchase. */
export interface ScheduledJobTable {
  id: Generated<number>
  account_id: number
  /** What is done, such as `delivery`. Each kind is declared as a constant whose name ends with `JobKind`. */
  kind: string
  /** Id of what it is about, as the kind says. */
  subject: string
  due_at: number
  attempts: number
  /** Wall time in milliseconds when the lease ends; 0 without one. */
  lease_until: number
  /** Process that runs it now; null if none does. */
  lease_owner: string | null
  /** Trace of the request that scheduled it, in the form of a `traceparent` header. */
  trace: Generated<string | null>
}

/** The clock of the platform: one row, with id 1. */
export interface ClockTable {
  id: number
  /** Platform time while frozen, otherwise null. */
  frozen_at: number | null
  /** Added to real time while running. */
  offset: number
  /** Number of fault rules. It is in the row of the clock, which every request reads. */
  faults: Generated<number>
}

/** Claim of an idempotency key by a request, with its response once there is one. */
export interface IdempotencyTable {
  account_id: number
  key: string
  /** SHA-256 hash of method, path and body. With another form, requests that are repeated after an upgrade would be refused. */
  request: string
  status: number | null
  body: string | null
  created_at: number
  /** Process that works on the request, and the wall time in milliseconds when it has ended at the latest. */
  owner: Generated<string | null>
  leased_until: Generated<number>
}

/** Requests that count in the fixed window of a rate limit. */
interface RequestLimitTable {
  account_id: number
  name: string
  /** Start of the window. */
  window_start: number
  used: number
}

/** Times of the accepted requests under a rate limit, as JSON: the latest, as many as the limit allows. */
interface RequestLogTable {
  account_id: number
  name: string
  times: string
}

/** Fault rule, which makes requests fail on purpose, with the number of matches and triggers. */
export interface FaultTable {
  id: Generated<number>
  /** Name of an endpoint, `numbers.*`, or `*`. */
  endpoint: string
  account_id: number | null
  /** Rest of the rule as JSON. */
  rule: ColumnType<JsonText<FaultRule>, string, string>
  met: number
  fired: number
  created_at: number
}

/** Server of a database that several servers share. Times are in milliseconds of the database. */
export interface ServerNodeTable {
  /** The same text as the owner of its leases. */
  id: string
  host: string
  pid: number
  version: string
  /** URL under which it listens; null if it does not. */
  url: string | null
  status: 'ready' | 'draining'
  /** 1 if the server was asked to finish its work and stop. */
  drain_requested: Generated<number>
  started_at: number
  seen_at: number
}

/** The tables of this file by name, a part of the type of the database. */
export interface RuntimeTables {
  server_node: ServerNodeTable
  due: ScheduledJobTable
  clock: ClockTable
  idempotency: IdempotencyTable
  request_limit: RequestLimitTable
  request_log: RequestLogTable
  fault: FaultTable
}
