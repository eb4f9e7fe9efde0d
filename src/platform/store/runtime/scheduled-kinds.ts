import type { Query } from '../database/connection.ts'

/** Returns the due time of the next job of a kind after a time; undefined if there is none. */
export async function nextJobOfKindAt(query: Query, kind: string, after: number): Promise<number | undefined> {
  const rows = query.selectFrom('due').select('due_at').where('kind', '=', kind).where('due_at', '>', after)
  return (await rows.orderBy('due_at').limit(1).executeTakeFirst())?.due_at
}

/** Returns the kinds of jobs that are due after a time, sorted. */
export async function scheduledKinds(query: Query, after: number): Promise<readonly string[]> {
  const rows = query.selectFrom('due').select('kind').distinct().where('due_at', '>', after).orderBy('kind')
  return (await rows.execute()).map((it) => it.kind)
}
