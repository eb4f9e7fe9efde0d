import type { Generated } from 'kysely'

/** What is to be done at a time: deliveries, renewals, unfinished purchases. */
export interface ScheduledJobTable {
  id: Generated<number>
  account_id: number
  kind: string
  subject: string
  due_at: number
  attempts: number
  lease_until: number
  lease_owner: string | null
}

export interface ClockTable {
  id: number
  /** Platform time while frozen, else null. */
  frozen_at: number | null
  /** Added to wall time while running. */
  offset: number
  /** Rules that make requests fail on purpose: beside the time, since every request asks for that. */
  faults: Generated<number>
}

export interface IdempotencyTable {
  account_id: number
  key: string
  /** SHA-256 of method, path and body. */
  request: string
  status: number | null
  body: string | null
  created_at: number
}

export interface RequestLimitTable {
  account_id: number
  name: string
  /** Start of the window. */
  window_start: number
  used: number
}

/** When requests under a limit were let through, as JSON: the latest, as many as the limit allows. */
export interface RequestLogTable {
  account_id: number
  name: string
  times: string
}

/** A rule that makes requests fail on purpose, and how often it was met and struck. */
export interface FaultTable {
  id: Generated<number>
  /** Name of an endpoint, `numbers.*`, or `*`. */
  endpoint: string
  account_id: number | null
  /** The rest of the rule, as JSON. */
  rule: string
  met: number
  fired: number
  created_at: number
}

export interface RuntimeTables {
  due: ScheduledJobTable
  clock: ClockTable
  idempotency: IdempotencyTable
  request_limit: RequestLimitTable
  request_log: RequestLogTable
  fault: FaultTable
}
