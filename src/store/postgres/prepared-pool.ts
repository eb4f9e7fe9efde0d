import { createHash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { isStalePlan, toStoreError } from './postgres-store-errors.ts'

/** Maximum number of prepared statements on the server: lists of ids of different lengths would fill its memory. */
const maxPreparedStatements = 500

/** Creates a pool for Kysely that prepares statements once per connection and text, and throws StoreError. */
export function createPreparedPool(pool: Pool, where: string): PostgresPool {
  const names = new Map<string, string>()
  const known = new WeakMap<PoolClient, PostgresPoolClient>()

  function nameOf(sql: string): string | undefined {
    const name = names.get(sql)
    if (name !== undefined || names.size >= maxPreparedStatements) return name
    // A hash, so that processes that share connections through a pooler use the same name for the same statement.
    const made = createHash('sha256').update(sql).digest('base64url').slice(0, 24)
    names.set(sql, made)
    return made
  }

  function prepareClient(client: PoolClient): PostgresPoolClient {
    let stale = false
    const query = async (sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> => {
      try {
        return (await client.query({
          text: sql,
          values: [...parameters],
          name: parameters.length > 0 ? nameOf(sql) : undefined,
        })) as PostgresQueryResult<unknown>
      } catch (error) {
        if (isStalePlan(error)) {
          stale = true
          const again = await client.query({ text: sql, values: [...parameters] }).catch(() => undefined)
          if (again) return again as PostgresQueryResult<unknown>
          // Inside a transaction, which is aborted now and runs again on another connection.
        }
        throw toStoreError(error, where)
      }
    }
    return { query: query as PostgresPoolClient['query'], release: () => client.release(stale) }
  }

  return {
    async connect() {
      try {
        const client = await pool.connect()
        const facade = known.get(client) ?? prepareClient(client)
        known.set(client, facade)
        return facade
      } catch (error) {
        throw toStoreError(error, where)
      }
    },
    end: () => pool.end(),
  }
}
