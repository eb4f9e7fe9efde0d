import type { Micros } from '../../../../contract/values/micros.ts'
import { isIdTaken } from '../../../store/automations/automations.ts'
import type { Query } from '../../../store/database/connection.ts'
import type { Deps } from '../../runtime/deps.ts'

/** Length of the id of an automation, a version or a run, in characters. */
const idLength = 21

type Table = 'automation' | 'automation_version' | 'automation_run'

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Digits at the start of a run id that encode the milliseconds since the epoch. They suffice until the year 2081. */
const timeDigits = 7

/**
 * Returns a new run id. It begins with the time, so that runs of the same moment are adjacent in every index, which
 * makes commits of many runs small. The rest is random and cannot be guessed.
 */
export async function newRunId(query: Query, deps: Pick<Deps, 'secret' | 'isSeeded'>, now: Micros): Promise<string> {
  if (deps.isSeeded()) return newId(query, deps, 'automation_run', String(now))
  let time = ''
  for (let remaining = Math.floor(now / 1000); time.length < timeDigits; remaining = Math.floor(remaining / 62))
    time = `${base62Digits[remaining % 62]}${time}`
  return time + deps.secret('', idLength - timeDigits)
}

/** Returns a new id, in the caller's transaction. It is random, or derived from the history on a seeded platform. */
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
