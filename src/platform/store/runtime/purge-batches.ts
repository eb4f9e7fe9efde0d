// What is old is deleted by a job of its account, some rows in each transaction. Requests only schedule the job.

import type { AccountQuery } from '../database/connection.ts'
import { hasJob, insertJob } from './scheduled-jobs.ts'

/** Kind of the job that deletes what is old of an account. Its subject is the id of the account. Its rows have this name, so it never changes. */
export const purgeJobKind = 'purge'

/** How long events, deliveries and runs are stored, in microseconds. */
export const retentionMicros = 30 * 24 * 3600 * 1_000_000

/** Every row of some tables whose number is a multiple of this schedules a purge of its account. */
const purgeInterval = 64

/** Microseconds from such a row to the purge, so that an account that writes much is searched once a minute. */
export const purgeDelay = 60_000_000

/** Maximum number of rows that one transaction reads to find old ones. */
export const purgeBatchSize = 250

/** Which rows of an account are deleted next. */
export interface PurgeBatch {
  /** Rows from before this time are old. */
  readonly before: number
  /** Position of the last row that was read; 0 at first. */
  readonly after: number
}

/** What one transaction has deleted, and the position of the last row that it read; undefined after the last old one. */
export interface PurgedBatch {
  readonly deleted: number
  readonly next: number | undefined
}

/**
 * Schedules the purge of an account with some of its rows, in the transaction that inserts one, unless it is scheduled.
 * `number` is the number of the row.
 */
export async function schedulePurge(query: AccountQuery, number: number, now: number): Promise<void> {
  const subject = String(query.account)
  if (number % purgeInterval !== 0 || (await hasJob(query, purgeJobKind, subject))) return
  await insertJob(query, {
    account_id: query.account,
    kind: purgeJobKind,
    subject,
    due_at: now + purgeDelay,
    attempts: 0,
    lease_until: 0,
  })
}

/** Returns the position after which to continue. Rows are read in the order of their numbers, and later ones are newer. */
export function positionAfter(
  rows: readonly { readonly position: number; readonly created_at: number }[],
  before: number,
): number | undefined {
  const last = rows.at(-1)
  return last && rows.length === purgeBatchSize && last.created_at < before ? last.position : undefined
}
