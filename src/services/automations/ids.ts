import type { Query } from '../../store/connection.ts'
import type { Deps } from '../deps.ts'

/** Characters of an id of an automation, a version or a run. */
const length = 21

type Table = 'automation' | 'automation_version' | 'automation_run'

/** A new id, in the caller's transaction: random, or on a seeded platform the same for the same history. */
export async function newId(query: Query, { secret, isSeeded }: Pick<Deps, 'secret' | 'isSeeded'>, table: Table, about: string): Promise<string> {
  if (!isSeeded()) return secret('', length)
  for (let n = 0; ; n++) {
    const id = secret(`${table} ${about} ${n}`, length)
    const taken = await query.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst()
    if (!taken) return id
  }
}
