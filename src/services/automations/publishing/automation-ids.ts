import type { Micros } from '../../../jobs/clock.ts'
import { isIdTaken } from '../../../store/automations/automations.ts'
import type { Query } from '../../../store/database/connection.ts'
import type { Deps } from '../../runtime/deps.ts'

/** Characters of an id of an automation, a version or a run. */
const idLength = 21

type Table = 'automation' | 'automation_version' | 'automation_run'

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Digits of the milliseconds since the epoch that ids of runs begin with: enough until the year 2081. */
const timeDigits = 7

/**
 * A new id of a run. It begins with the time, so that those of one moment stand side by side in every index, which makes commits of many of them small;
 * what comes after is random, and more than anybody can try.
 */
export async function newRunId(query: Query, deps: Pick<Deps, 'secret' | 'isSeeded'>, now: Micros): Promise<string> {
  if (deps.isSeeded()) return newId(query, deps, 'automation_run', String(now))
  let time = ''
  for (let remaining = Math.floor(now / 1000); time.length < timeDigits; remaining = Math.floor(remaining / 62))
    time = `${base62Digits[remaining % 62]}${time}`
  return time + deps.secret('', idLength - timeDigits)
}

/** A new id, in the caller's transaction: random, or on a seeded platform the same for the same history. */
export async function newId(
  query: Query,
  { secret, isSeeded }: Pick<Deps, 'secret' | 'isSeeded'>,
  table: Table,
  about: string,
): Promise<string> {
  if (!isSeeded()) return secret('', idLength)
  for (let n = 0; ; n++) {
    const id = secret(`${table} ${about} ${n}`, idLength)
    if (!(await isIdTaken(query, table, id))) return id
  }
}
