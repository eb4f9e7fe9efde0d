import type { Sql } from 'kysely'
import { loadKysely } from './kysely.ts'

/** The `sql` of kysely, which is loaded when it is used. */
export const sql: Sql = new Proxy((() => {}) as unknown as Sql, {
  apply: (_, __, given: Parameters<Sql>) => loadKysely().sql(...given),
  get: (_, name) => Reflect.get(loadKysely().sql, name),
})
