import { type RawBuilder, sql } from 'kysely'
import { compiledQuery } from '../database/compiled-query.ts'
import type { AccountQuery } from '../database/connection.ts'
import type { EndedStep, StepRow } from './run-steps.ts'
import type { ClaimedRun, NewRunRow } from './runs.ts'

type Cell = string | number | null
type Column<T> = readonly [name: string, type: 'text' | 'bigint' | 'json', value: (run: T) => Cell]

const stepColumns: readonly Column<EndedStep>[] = [
  ['path', 'text', ({ step }) => step.path],
  ['account_id', 'bigint', ({ step }) => step.account],
  ['name', 'text', ({ step }) => step.name],
  ['position', 'bigint', ({ step }) => step.position],
  ['status', 'text', ({ end }) => end.status],
  ['failures', 'bigint', ({ end }) => end.failures],
  ['input', 'text', ({ end }) => end.input],
  ['output', 'text', ({ end }) => end.output],
  ['shown', 'text', ({ end }) => end.shown],
  ['error', 'text', ({ end }) => end.error],
  ['classification', 'text', ({ end }) => end.classification],
  ['unresolved', 'text', ({ end }) => end.unresolved],
  ['log', 'text', ({ end }) => end.log],
  ['started_at', 'bigint', ({ step }) => step.now],
  ['finished_at', 'bigint', ({ end }) => end.now],
]

const runColumns = [
  ...(['id', 'account_id', 'automation_id', 'version_id', 'testing', 'status', 'payload', 'claims', 'held'] as const),
  ...(['mark', 'stalls', 'round', 'active', 'answer', 'error', 'dedupe_key', 'created_at', 'finished_at'] as const),
] satisfies readonly (keyof NewRunRow)[]

/** Columns of steps of one run: their account is that of the run, whose shard they lie on. */
const listColumns = stepColumns.filter(([name]) => name !== 'account_id')
const stepNames = sql.raw(listColumns.map(([name]) => name).join(', '))

/** Returns steps as a table, of one list for each column. */
const stepTable = (lists: readonly unknown[]): RawBuilder<unknown> =>
  sql`unnest(${sql.join(listColumns.map(([, type], n) => sql`${lists[n]}::${sql.raw(type)}[]`))}) as s (${stepNames})`

const listsOf = (entries: readonly EndedStep[]): Cell[][] => listColumns.map(([, , value]) => entries.map(value))

const statement = <Row>(build: (values: readonly unknown[]) => RawBuilder<Row>) =>
  compiledQuery<unknown[], Row>((query, ...values) => ({ compile: () => build(values).compile(query) }))

const insertStepsQuery = statement<{ path: string }>(
  ([account, number, claims, ...lists]) => sql`
    insert into automation_step (account_id, run, attempt, ${stepNames})
    select r.account_id, r.number, 1, s.* from automation_run r, ${stepTable(lists)}
    where r.account_id = ${account} and r.number = ${number} and r.claims = ${claims} and r.held = 1
    returning path`,
)

/** Inserts steps of a run that this process has claimed. Returns false if it has not. PostgreSQL only. */
export async function insertStepsTogether(
  query: AccountQuery,
  { number, claims }: ClaimedRun,
  entries: readonly EndedStep[],
): Promise<boolean> {
  return (await insertStepsQuery(query, query.account, number, claims, ...listsOf(entries))).length === entries.length
}

const insertEndedRunQuery = statement<{ number: number }>(
  (values) => sql`
    with r as (
      insert into automation_run (${sql.raw(runColumns.join(', '))})
      values (${sql.join(values.slice(0, runColumns.length))}) on conflict do nothing returning account_id, number
    ), s as (
      insert into automation_step (account_id, run, attempt, ${stepNames})
      select r.account_id, r.number, 1, s.* from r, ${stepTable(values.slice(runColumns.length))}
    )
    select number from r`,
)

/**
 * Inserts a run that has ended with all its steps, in one statement. Returns its number; undefined if its id is taken.
 * PostgreSQL only.
 */
export async function insertEndedRun(
  query: AccountQuery,
  run: NewRunRow,
  entries: readonly EndedStep[],
): Promise<number | undefined> {
  const values = runColumns.map((it) => run[it])
  return (await insertEndedRunQuery(query, ...values, ...listsOf(entries)))[0]?.number
}

/**
 * Columns of a run that ended before it was stored which differ from run to run. The others are constant (`constantRunValues`) or
 * null: they are what `insertEndedRun` writes for such a run on PostgreSQL.
 */
const variableRunColumns = [
  ...(['id', 'account_id', 'automation_id', 'version_id', 'status', 'payload'] as const),
  ...(['active', 'answer', 'error', 'created_at', 'finished_at'] as const),
] satisfies readonly (keyof NewRunRow)[]

/** Columns of steps that are null in most of them. */
const rareStepColumns: ReadonlySet<string> = new Set(['shown', 'error', 'classification', 'unresolved', 'log'])
const commonStepColumns = stepColumns.filter(([name]) => !rareStepColumns.has(name))

const insertRunRowQuery = compiledQuery(
  (query, ...values: readonly Cell[]) =>
    query
      .insertInto('automation_run')
      .values({
        ...Object.fromEntries(variableRunColumns.map((it, n) => [it, values[n]])),
        ...Object.fromEntries(Object.entries(constantRunValues).map(([name, value]) => [name, sql.lit(value)])),
      } as NewRunRow)
      .onConflict((it) => it.doNothing())
      .returning('number'),
  { isSingleRow: true },
)

const constantRunValues = { testing: 0, claims: 1, held: 0, mark: 0, stalls: 0, round: 1 }

/** Maximum number of steps that one statement inserts. */
const maxStepRows = 16

/** Statements that insert steps, by the number of steps and whether rare columns have values. */
const stepRowQueries = new Map<
  string,
  (query: AccountQuery, run: number, ...cells: readonly Cell[]) => Promise<unknown>
>()

function stepRowQuery(count: number, columns: readonly Column<EndedStep>[]) {
  const key = `${count} ${columns.length}`
  const known = stepRowQueries.get(key)
  if (known) return known
  const insert = compiledQuery((query, run: number, ...cells: readonly Cell[]) =>
    query.insertInto('automation_step').values(
      Array.from({ length: count }, (_, row) => ({
        run,
        attempt: sql.lit(1),
        ...Object.fromEntries(columns.map(([name], n) => [name, cells[row * columns.length + n]])),
      })) as unknown as StepRow[],
    ),
  )
  stepRowQueries.set(key, insert)
  return insert
}

/**
 * Inserts a run that has ended and was never stored before, and then all its steps. Returns its number; undefined if its
 * id is taken, with nothing inserted. For SQLite, where few values in statements cost less than few statements, and for
 * shards, where a statement with two inserts would send the rows of the first one to the coordinator and back.
 */
export async function insertEndedRunRows(
  query: AccountQuery,
  run: NewRunRow,
  entries: readonly EndedStep[],
): Promise<number | undefined> {
  const [row] = await insertRunRowQuery(query, ...variableRunColumns.map((it) => run[it]))
  if (!row) return undefined
  const hasRare = ({ end }: EndedStep): boolean =>
    (end.shown ?? end.error ?? end.classification ?? end.unresolved ?? end.log) !== null
  for (let at = 0; at < entries.length; at += maxStepRows) {
    const some = entries.slice(at, at + maxStepRows)
    const columns = some.some(hasRare) ? stepColumns : commonStepColumns
    const cells = some.flatMap((it) => columns.map(([, , value]) => value(it)))
    await stepRowQuery(some.length, columns)(query, row.number, ...cells)
  }
  return row.number
}
