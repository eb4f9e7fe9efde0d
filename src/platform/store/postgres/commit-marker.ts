import { randomUUID } from 'node:crypto'
import { isUniqueViolation } from '../database/store-error.ts'
import type { PostgresClient } from './postgres-client.ts'
import type { PostgresStatement } from './statement-batch.ts'

/** Hours after which a marker is not needed any more: its transaction has ended long ago. */
const retentionHours = 1

/** Creates the names of markers: one row that a transaction inserts right before its COMMIT. */
export function createMarkerNames(): () => string {
  const prefix = randomUUID()
  let n = 0
  return () => `${prefix}:${++n}`
}

/** Returns the statements that commit a transaction with its marker. */
export const commitStatements = (marker: string | undefined): PostgresStatement[] => [
  ...(marker === undefined ? [] : [{ sql: insertMarker, parameters: [marker] }]),
  { sql: 'commit', parameters: [] },
]

const insertMarker = 'insert into commit_marker (id) values ($1)'

/**
 * Returns whether a transaction was committed whose connection was lost during the COMMIT. Inserts the same marker: if
 * that succeeds, the transaction was not committed, and it cannot be committed later either.
 */
export async function wasCommitted(client: PostgresClient, marker: string): Promise<boolean> {
  try {
    await client.execute(insertMarker, [marker])
    return false
  } catch (error) {
    if (isUniqueViolation(error)) return true
    throw error
  }
}

/** Deletes markers of transactions that ended long ago. */
export async function purgeMarkers(client: PostgresClient): Promise<void> {
  await client.runScript([`delete from commit_marker where created_at < now() - interval '${retentionHours} hours'`])
}
