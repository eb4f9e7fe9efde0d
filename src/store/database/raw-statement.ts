import type { RootOperationNode } from 'kysely'
import type { Query } from './connection.ts'
import { loadKysely } from './kysely.ts'
import { DirectQuery } from './prepared-statement.ts'

/** Executes a statement without rows, in the caller's transaction, without building it. */
export async function executeRaw(query: Query, sql: string, parameters: readonly unknown[] = []): Promise<void> {
  if (query instanceof DirectQuery)
    query.executeStatement({ sql, isSingleRow: false, query: { kind: 'RawNode' } as RootOperationNode }, parameters)
  else await query.executeQuery(loadKysely().CompiledQuery.raw(sql, [...parameters]))
}
