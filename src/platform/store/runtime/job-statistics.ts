import { type SqlBool, sql } from 'kysely'
import type { Query } from '../database/connection.ts'

/** Due jobs of one kind. */
export interface DueJobs {
  readonly kind: string
  readonly due: number
  /** Platform time in microseconds at which the oldest one was due. */
  readonly oldest: number
  /** Number of jobs that a process leases. */
  readonly leased: number
}

/** Returns the number of due jobs by kind, at a platform time in microseconds and a wall time in milliseconds. */
export const countDueJobs = async (query: Query, now: number, wall: number): Promise<DueJobs[]> =>
  (
    await query
      .selectFrom('due')
      .where('due_at', '<=', now)
      .groupBy('kind')
      .select((it) => [
        'kind',
        it.fn.countAll<number>().as('due'),
        it.fn.min<number>('due_at').as('oldest'),
        it.fn.countAll<number>().filterWhere(sql<SqlBool>`lease_until > ${wall}`).as('leased'),
      ])
      .execute()
  ).map((it) => ({ ...it, due: Number(it.due), oldest: Number(it.oldest), leased: Number(it.leased) }))

/** Returns the number of due jobs that an owner leases. */
export const countOwnLeases = async (query: Query, owner: string, now: number, wall: number): Promise<number> =>
  Number(
    (
      await query
        .selectFrom('due')
        .where('due_at', '<=', now)
        .where('lease_owner', '=', owner)
        .where('lease_until', '>', wall)
        .select((it) => it.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  )
