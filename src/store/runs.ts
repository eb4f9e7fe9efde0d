import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { AutomationRunTable, RunStatus } from './automation-tables.ts'
import { compiled } from './compiled.ts'
import type { Query } from './connection.ts'

export type RunRow = Selectable<AutomationRunTable>

/** Kind of the due work of a run that has not ended. Its subject is the run's id. */
export const runWork = 'automation.run'

/** A run as the process that holds it names it: whoever took it since has another count of claims. */
export type HeldRun = Pick<RunRow, 'number' | 'claims'>

/** A run taken by the process that accepts it; undefined when the same thing was accepted before. */
export async function insertRun(query: Query, run: Insertable<AutomationRunTable>): Promise<RunRow | undefined> {
  const { id, account_id, automation_id, version_id, testing, payload, held, dedupe_key = null, created_at } = run
  return (await oneRun(query, id, account_id, automation_id, version_id, testing, payload, held, dedupe_key, created_at))[0]
}

const oneRun = compiled(
  (
    query,
    id: string,
    account_id: number,
    automation_id: string,
    version_id: string,
    testing: number,
    payload: string,
    held: number,
    dedupe_key: string | null,
    created_at: number,
  ) =>
    query
      .insertInto('automation_run')
      .values({
        id,
        account_id,
        automation_id,
        version_id,
        testing,
        payload,
        held,
        dedupe_key,
        created_at,
        status: 'RUNNING',
        claims: sql<number>`1`,
        mark: sql<number>`0`,
        stalls: sql<number>`0`,
        round: sql<number>`1`,
        active: sql<number>`0`,
      })
      .onConflict((it) => it.doNothing())
      .returningAll(),
)

export const findRun = (query: Query, id: string): Promise<RunRow | undefined> =>
  query.selectFrom('automation_run').selectAll().where('id', '=', id).executeTakeFirst()

export const findRunByDedupe = (query: Query, automation: string, key: string): Promise<RunRow | undefined> =>
  query.selectFrom('automation_run').selectAll().where('automation_id', '=', automation).where('dedupe_key', '=', key).executeTakeFirst()

/** Newest first. */
export const listRuns = (query: Query, automation: string, limit: number): Promise<RunRow[]> =>
  query.selectFrom('automation_run').selectAll().where('automation_id', '=', automation).orderBy('number', 'desc').limit(limit).execute()

/** Changes a run unless another process took it since, or it is gone: false then, and nothing is changed. */
export async function changeHeldRun(query: Query, { number, claims }: HeldRun, change: Updateable<AutomationRunTable>): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('automation_run')
    .set(change)
    .where('number', '=', number)
    .where('claims', '=', claims)
    .where('held', '=', 1)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends a run, under the same condition. */
export async function endHeldRun(
  query: Query,
  { number, claims }: HeldRun,
  end: { status: RunStatus; error: string | null; answer: string | null; active: number; now: number },
): Promise<boolean> {
  return (await theEnd(query, number, claims, end.status, end.error, end.answer, end.active, end.now)).length > 0
}

const theEnd = compiled(
  (query, number: number, claims: number, status: RunStatus, error: string | null, answer: string | null, active: number, finished_at: number) =>
    query
      .updateTable('automation_run')
      .set({ status, error, answer, active, finished_at, held: sql<number>`0` })
      .where('number', '=', number)
      .where('claims', '=', claims)
      .where('held', '=', sql<number>`1`)
      .returning('number'),
)

export async function changeRun(query: Query, number: number, change: Updateable<AutomationRunTable>): Promise<void> {
  await query.updateTable('automation_run').set(change).where('number', '=', number).execute()
}

/** Keeps the due work of an owner's runs leased until a wall time in milliseconds. */
export async function renewLeases(query: Query, owner: string, until: number): Promise<void> {
  await query.updateTable('due').set({ lease_until: until }).where('kind', '=', runWork).where('lease_owner', '=', owner).execute()
}

/** Makes the due work of a run anybody's, at a moment. False when there is none. */
export async function moveRunDue(query: Query, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('due')
    .set({ due_at: at, lease_owner: null, lease_until: 0 })
    .where('kind', '=', runWork)
    .where('subject', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
