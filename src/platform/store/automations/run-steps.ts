// Rows of the steps of a run, by their path in it. A function that writes for a run in progress returns whether the run
// is still held: if not, the caller must not commit.

import { type Selectable, sql } from 'kysely'
import type { StepEnd, StepStatus } from '../../../engine/runs/run-state.ts'
import { compiledQuery } from '../database/compiled-query.ts'
import type { AccountQuery, Dialect } from '../database/connection.ts'
import { insertStepsTogether } from './ended-runs.ts'
import type { ClaimedRun } from './runs.ts'
import type { AutomationStepTable } from './tables.ts'

export type StepRow = Selectable<AutomationStepTable>
/** Returns the steps of a run in the order in which they started. */
export const listSteps = (query: AccountQuery, run: number): Promise<StepRow[]> =>
  query.selectFrom('automation_step').selectAll().where('run', '=', run).orderBy('position').execute()

/** Returns the steps of runs, those of each in the order in which they started. */
export const listStepsOfRuns = (query: AccountQuery, runs: readonly number[]): Promise<StepRow[]> =>
  query.selectFrom('automation_step').selectAll().where('run', 'in', runs).orderBy('run').orderBy('position').execute()

/** Maximum number of earlier errors that are stored for a step, and of characters of each. */
const maxEarlierErrors = 10
const maxEarlierErrorLength = 1000

/** Separates the earlier errors in their column. Rows have it: it never changes. */
const separator = sql.lit('\u001e')

/**
 * Adds the error of a step, which is about to be overwritten, to its earlier errors. The first ones stay: they say why a
 * run failed before it was retried.
 */
const nextEarlierErrors = sql<string | null>`(case
  when automation_step.error is null or automation_step.finished_at is null
    or length(automation_step.earlier_errors) - length(replace(automation_step.earlier_errors, ${separator}, '')) >= ${sql.lit(maxEarlierErrors)}
  then automation_step.earlier_errors
  else coalesce(automation_step.earlier_errors, '') || cast(automation_step.attempt as text) || ' '
    || cast(automation_step.finished_at as text) || ' '
    || substr(replace(automation_step.error, ${separator}, ' '), 1, ${sql.lit(maxEarlierErrorLength)}) || ${separator}
  end)`

/** Error of an attempt that was followed by another one. */
interface EarlierError {
  readonly attempt: number
  readonly failedAt: number
  readonly error: string
}

/** Returns the errors of the attempts of a step before its last one, oldest first. */
export const earlierErrors = ({ earlier_errors }: Pick<StepRow, 'earlier_errors'>): EarlierError[] =>
  (earlier_errors ?? '')
    .split('\u001e')
    .slice(0, -1)
    .map((failure) => {
      const [attempt, failedAt, ...error] = failure.split(' ')
      return { attempt: Number(attempt), failedAt: Number(failedAt), error: error.join(' ') }
    })

/** A step whose attempt begins. */
export interface StartedStep {
  readonly account: number
  readonly path: string
  readonly name: string
  readonly position: number
  readonly now: number
}

/**
 * Records the start of an attempt and returns its number. A step that was paused continues the same attempt. The error of the
 * attempt before becomes an earlier error.
 * Returns undefined without any change if another process has claimed the run or it was deleted.
 */
export async function startStep(
  query: AccountQuery,
  { number, claims }: ClaimedRun,
  { path, name, position, now }: StartedStep,
): Promise<number | undefined> {
  return (await startStepQuery(query, number, claims, path, name, position, now))[0]?.attempt
}

const startStepQuery = compiledQuery(
  (query, number: number, claims: number, path: string, name: string, position: number, now: number) =>
    query
      .insertInto('automation_step')
      .columns(['run', 'path', 'account_id', 'name', 'position', 'status', 'attempt', 'failures', 'started_at'])
      .expression((builder) =>
        builder
          .selectFrom('automation_run')
          .where('number', '=', number)
          .where('claims', '=', claims)
          .where('held', '=', sql<number>`1`)
          .select([
            'number',
            sql<string>`cast(${path} as text)`.as('path'),
            'account_id',
            sql<string>`cast(${name} as text)`.as('name'),
            sql<number>`cast(${position} as bigint)`.as('position'),
            sql<StepStatus>`'RUNNING'`.as('status'),
            sql<number>`1`.as('attempt'),
            sql<number>`0`.as('failures'),
            sql<number>`cast(${now} as bigint)`.as('started_at'),
          ]),
      )
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'run', 'path']).doUpdateSet({
          status: sql<StepStatus>`'RUNNING'`,
          attempt: sql<number>`automation_step.attempt + (case automation_step.status when 'PAUSED' then 0 else 1 end)`,
          finished_at: sql<null>`null`,
          error: sql<null>`null`,
          earlier_errors: nextEarlierErrors,
        }),
      )
      .returning('attempt'),
)

/** Result of an attempt. JSON fields are already text. */
export interface StepResult extends StepEnd {
  readonly now: number
}

/** Step that started and ended. */
export interface EndedStep {
  readonly step: StartedStep
  readonly end: StepResult
}

/**
 * Records the first attempt of a step that started and ended since the last write for its run.
 * Returns false without any change if another process has claimed the run or it was deleted.
 */
async function insertStep(
  query: AccountQuery,
  { number, claims }: ClaimedRun,
  startedStep: StartedStep,
  end: StepResult,
): Promise<boolean> {
  const { path, name, position, now: started } = startedStep
  const { status, failures, input, output, shown, error, classification, unresolved, log, now } = end
  const begin = [number, claims, path, name, position, started] as const
  return (
    (
      await insertStepQuery(
        query,
        ...begin,
        status,
        failures,
        input,
        output,
        shown,
        error,
        classification,
        unresolved,
        log,
        now,
      )
    ).length > 0
  )
}

/**
 * Records steps that started and ended since the last write for their run, in their order. On PostgreSQL it is one
 * statement: there, each one is a round trip. Returns false if another process has claimed the run or it was deleted;
 * the caller must not commit then.
 */
export async function insertSteps(
  query: AccountQuery,
  dialect: Dialect,
  run: ClaimedRun,
  entries: readonly EndedStep[],
): Promise<boolean> {
  if (dialect === 'postgres' && entries.length > 1) return insertStepsTogether(query, run, entries)
  for (const { step, end } of entries) if (!(await insertStep(query, run, step, end))) return false
  return true
}

const insertStepQuery = compiledQuery(
  (
    query,
    number: number,
    claims: number,
    path: string,
    name: string,
    position: number,
    started: number,
    status: StepStatus,
    failures: number,
    input: string | null,
    output: string | null,
    shown: string | null,
    error: string | null,
    classification: StepRow['classification'],
    unresolved: string | null,
    log: string | null,
    finished: number,
  ) =>
    query
      .insertInto('automation_step')
      .columns([
        ...(['run', 'path', 'account_id', 'name', 'position', 'status', 'attempt', 'failures'] as const),
        ...([
          'input',
          'output',
          'shown',
          'error',
          'classification',
          'unresolved',
          'log',
          'started_at',
          'finished_at',
        ] as const),
      ])
      .expression((builder) =>
        builder
          .selectFrom('automation_run')
          .where('number', '=', number)
          .where('claims', '=', claims)
          .where('held', '=', sql<number>`1`)
          .select([
            'number',
            sql<string>`cast(${path} as text)`.as('path'),
            'account_id',
            sql<string>`cast(${name} as text)`.as('name'),
            sql<number>`cast(${position} as bigint)`.as('position'),
            sql<StepStatus>`cast(${status} as text)`.as('status'),
            sql<number>`1`.as('attempt'),
            sql<number>`cast(${failures} as bigint)`.as('failures'),
            sql<string | null>`cast(${input} as text)`.as('input'),
            sql<string | null>`cast(${output} as text)`.as('output'),
            sql<string | null>`cast(${shown} as text)`.as('shown'),
            sql<string | null>`cast(${error} as text)`.as('error'),
            sql<string | null>`cast(${classification} as text)`.as('classification'),
            sql<string | null>`cast(${unresolved} as text)`.as('unresolved'),
            sql<string | null>`cast(${log} as text)`.as('log'),
            sql<number>`cast(${started} as bigint)`.as('started_at'),
            sql<number>`cast(${finished} as bigint)`.as('finished_at'),
          ]),
      )
      .returning('attempt'),
)

/** Records the end of a step. Call it in a transaction that checks that the run is still held. */
export async function finishStep(
  query: AccountQuery,
  run: number,
  { path, status, failures, input, output, shown, error, classification, unresolved, log, now }: StepResult,
): Promise<void> {
  await finishStepQuery(
    query,
    run,
    path,
    status,
    failures,
    input,
    output,
    shown,
    error,
    classification,
    unresolved,
    log,
    now,
  )
}

const finishStepQuery = compiledQuery(
  (
    query,
    run: number,
    path: string,
    status: StepStatus,
    failures: number,
    input: string | null,
    output: string | null,
    shown: string | null,
    error: string | null,
    classification: StepRow['classification'],
    unresolved: string | null,
    log: string | null,
    finished_at: number,
  ) =>
    query
      .updateTable('automation_step')
      .set({
        status,
        failures,
        input,
        output,
        shown,
        error,
        classification,
        unresolved,
        log,
        finished_at,
        earlier_errors: nextEarlierErrors,
      })
      .where('run', '=', run)
      .where('path', '=', path),
)

/** Stores the list that a loop iterates over. */
export async function saveLoopItems(query: AccountQuery, run: number, path: string, items: string): Promise<void> {
  await query.updateTable('automation_step').set({ items }).where('run', '=', run).where('path', '=', path).execute()
}

/** Copies steps to a run that reuses their outputs. None of them was attempted in that run. */
export const copySteps = (query: AccountQuery, run: number, steps: readonly StepRow[], now: number): Promise<unknown> =>
  query
    .insertInto('automation_step')
    .values(
      steps.map((it) => ({ ...it, run, attempt: 0, started_at: now, finished_at: now, idle: 0, earlier_errors: null })),
    )
    .execute()

/**
 * Resets a failed step, so that it is tried as if for the first time. Its error stays until the next attempt starts. The time since the end of its run does not count for its
 * duration, nor for that of the loops around it.
 */
export async function resetStep(query: AccountQuery, run: number, path: string, idle: number): Promise<void> {
  const loops = [...path.matchAll(/\[\d+\]\//g)].map(({ index }) => path.slice(0, index))
  await query
    .updateTable('automation_step')
    .set((it) => ({ idle: it('idle', '+', idle) }))
    .where('run', '=', run)
    .where('path', 'in', [path, ...loops])
    .execute()
  await query
    .updateTable('automation_step')
    .set({ status: 'WAITING', failures: 0, classification: null, output: null, shown: null })
    .where('run', '=', run)
    .where('path', '=', path)
    .execute()
}
