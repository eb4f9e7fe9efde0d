import type { Micros } from '../../events/clock.ts'
import type { Query } from '../../store/connection.ts'
import type { Deps } from '../deps.ts'

/** Characters of an id of an automation, a version or a run. */
const length = 21

type Table = 'automation' | 'automation_version' | 'automation_run'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Digits of the milliseconds since the epoch that ids of runs begin with: enough until the year 2081. */
const timeDigits = 7

/**
 * A new id of a run. It begins with the time, so that those of one moment stand side by side in every index, which makes commits of many of them small;
 * what comes after is random, and more than anybody can try.
 */
export async function newRunId(query: Query, deps: Pick<Deps, 'secret' | 'isSeeded'>, now: Micros): Promise<string> {
  if (deps.isSeeded()) return newId(query, deps, 'automation_run', String(now))
  let time = ''
  for (let left = Math.floor(now / 1000); time.length < timeDigits; left = Math.floor(left / 62)) time = `${digits[left % 62]}${time}`
  return time + deps.secret('', length - timeDigits)
}

/** A new id, in the caller's transaction: random, or on a seeded platform the same for the same history. */
export async function newId(query: Query, { secret, isSeeded }: Pick<Deps, 'secret' | 'isSeeded'>, table: Table, about: string): Promise<string> {
  if (!isSeeded()) return secret('', length)
  for (let n = 0; ; n++) {
    const id = secret(`${table} ${about} ${n}`, length)
    const taken = await query.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst()
    if (!taken) return id
  }
}
