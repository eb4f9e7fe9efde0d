import type { Query } from '../../store/database/connection.ts'
import { findByRequestKey, keyedTables } from '../../store/runtime/request-keys.ts'

/**
 * Returns whether a billable operation stored a row under this key since a time. A process may crash after it claims a
 * key and before it stores a row.
 */
export async function hasStartedOperation(query: Query, account: number, key: string, since: number): Promise<boolean> {
  for (const table of keyedTables) if (await findByRequestKey(query, table, account, key, since)) return true
  return false
}
