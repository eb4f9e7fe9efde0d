import { type Selectable, sql } from 'kysely'
import type { AutomationStepTable, AutomationWaitTable, StepStatus } from './automation-tables.ts'
import { compiled } from './compiled.ts'
import type { Query } from './connection.ts'
import type { HeldRun } from './runs.ts'

export type StepRow = Selectable<AutomationStepTable>
export type WaitRow = Selectable<AutomationWaitTable>

/** In the order they were begun. */
export const listSteps = (query: Query, run: number): Promise<StepRow[]> =>
  query.selectFrom('automation_step').selectAll().where('run', '=', run).orderBy('position').execute()

export interface BegunStep {
  readonly account: number
  readonly path: string
  readonly name: string
  readonly position: number
  readonly now: number
}

/**
 * Notes that an attempt of a step begins, and says which: the first, or one more where it was begun before. A step that was paused goes on with
 * the attempt it was paused in. Undefined when another process took the run since, or it is gone: nothing is noted then.
 */
export async function beginStep(query: Query, { number, claims }: HeldRun, { account, path, name, position, now }: BegunStep): Promise<number | undefined> {
  return (await theBeginning(query, number, claims, path, account, name, position, now))[0]?.attempt
}

const theBeginning = compiled((query, number: number, claims: number, path: string, account: number, name: string, position: number, now: number) =>
  query
    .insertInto('automation_step')
    .columns(['run', 'path', 'account_id', 'name', 'position', 'status', 'attempt', 'failures', 'started_at'])
    .expression((it) =>
      it
        .selectFrom('automation_run')
        .where('number', '=', number)
        .where('claims', '=', claims)
        .where('held', '=', sql<number>`1`)
        .select([
          'number',
          sql<string>`cast(${path} as text)`.as('path'),
          sql<number>`cast(${account} as bigint)`.as('account_id'),
          sql<string>`cast(${name} as text)`.as('name'),
          sql<number>`cast(${position} as bigint)`.as('position'),
          sql<StepStatus>`'RUNNING'`.as('status'),
          sql<number>`1`.as('attempt'),
          sql<number>`0`.as('failures'),
          sql<number>`cast(${now} as bigint)`.as('started_at'),
        ]),
    )
    .onConflict((it) =>
      it.columns(['run', 'path']).doUpdateSet({
        status: sql<StepStatus>`'RUNNING'`,
        attempt: sql<number>`automation_step.attempt + (case automation_step.status when 'PAUSED' then 0 else 1 end)`,
        finished_at: sql<null>`null`,
      }),
    )
    .returning('attempt'),
)

/** What became of an attempt. JSON is text already. */
export interface StepEnd {
  readonly path: string
  readonly status: Exclude<StepStatus, 'RUNNING'>
  readonly failures: number
  readonly output: string | null
  readonly error: string | null
  readonly classification: string | null
  readonly unresolved: string | null
  readonly log: string | null
  readonly now: number
}

/** Belongs into a transaction that makes sure the run is still held. */
export async function endStep(
  query: Query,
  run: number,
  { path, status, failures, output, error, classification, unresolved, log, now }: StepEnd,
): Promise<void> {
  await theEnding(query, run, path, status, failures, output, error, classification, unresolved, log, now)
}

const theEnding = compiled(
  (
    query,
    run: number,
    path: string,
    status: StepStatus,
    failures: number,
    output: string | null,
    error: string | null,
    classification: string | null,
    unresolved: string | null,
    log: string | null,
    finished_at: number,
  ) =>
    query
      .updateTable('automation_step')
      .set({ status, failures, output, error, classification, unresolved, log, finished_at })
      .where('run', '=', run)
      .where('path', '=', path),
)

/** Keeps what a loop goes through. */
export async function noteItems(query: Query, run: number, path: string, items: string): Promise<void> {
  await query.updateTable('automation_step').set({ items }).where('run', '=', run).where('path', '=', path).execute()
}

/** A step that waits, in place of what it waited for before. */
export async function insertWait(query: Query, wait: Omit<WaitRow, 'payload' | 'resumed_at'>): Promise<void> {
  const fresh = { id: wait.id, until: wait.until, payload: null, resumed_at: null }
  await query
    .insertInto('automation_wait')
    .values({ ...wait, ...fresh })
    .onConflict((it) => it.columns(['run', 'path']).doUpdateSet(fresh))
    .execute()
}

export const listWaits = (query: Query, run: number): Promise<WaitRow[]> => query.selectFrom('automation_wait').selectAll().where('run', '=', run).execute()

export const findWait = (query: Query, id: string): Promise<WaitRow | undefined> =>
  query.selectFrom('automation_wait').selectAll().where('id', '=', id).executeTakeFirst()

/** Ends a wait, once: false when it was over. */
export async function resumeWait(query: Query, id: string, payload: string | null, now: number): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('automation_wait')
    .set({ payload, resumed_at: now })
    .where('id', '=', id)
    .where('resumed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Lets a step that failed be tried as if it never had. */
export async function reviveStep(query: Query, run: number, path: string): Promise<void> {
  await query
    .updateTable('automation_step')
    .set({ status: 'WAITING', failures: 0, error: null, classification: null, output: null })
    .where('run', '=', run)
    .where('path', '=', path)
    .execute()
}
