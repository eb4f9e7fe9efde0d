import { ClientFailure } from '../../../../../client/failures/client-failure.ts'
import type { Run, RunStep } from '../../../../../contract/automations/automation-records.ts'
import type { RunRecord, RunStepRecord, RunSummary } from '../../../../../contract/automations/run-records.ts'
import { automate } from '../../../../../contract/resources/automate.ts'
import type { Context } from '../../../../program/context.ts'
import { usageError } from '../../../../program/errors/usage-error.ts'
import { maxRunsPerAutomation } from './run-flag.ts'

/** A type whose fields may be null, because a platform without the capability `runs` does not return them. */
type Partly<T> = { readonly [K in keyof T]: T[K] | null }
/** A run as a list shows it. Scripts read it as JSON: fields are added, not renamed. */
export type ListedRun = Partly<RunSummary> & Pick<RunSummary, 'id' | 'status' | 'start_time'>
/** A step of a run as `get` shows it. */
export type ShownStep = Partly<RunStepRecord> & Pick<RunStepRecord, 'name' | 'status'>
/** A run as `get` shows it, with its steps. */
export type ShownRun = ListedRun &
  Pick<Partly<RunRecord>, 'trigger' | 'response' | 'steps_omitted' | 'shortened'> & {
    readonly steps: readonly ShownStep[]
  }

/** Conditions of a list of runs; all that are given must hold. */
export interface RunFilter {
  readonly automation?: string | undefined
  readonly status?: string | undefined
  /** Milliseconds since 1970. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly test?: boolean | undefined
}

interface NamedAutomation {
  readonly id: string
  readonly name: string | null
}

const toListedRun = (run: Omit<Run, 'steps' | 'error'>, { id, name }: NamedAutomation): ListedRun => ({
  id: run.id,
  automation_id: id,
  automation_name: name,
  version: null,
  status: run.status,
  testing: run.testing ?? null,
  start_time: run.start_time,
  end_time: null,
  duration_ms: run.duration_ms,
  error: null,
})

async function automationsOf(context: Context, automation: string | undefined): Promise<readonly NamedAutomation[]> {
  if (automation !== undefined) return [{ id: automation, name: null }]
  const { data } = await context.call(automate.list, {})
  return data.map(({ id, name }) => ({ id, name }))
}

/**
 * Lists the runs of every automation, newest first, on a platform that lists them for one automation at a time. @throws
 * ClientFailure `usage` for a filter that it does not support
 */
export async function listRunsByAutomation(
  context: Context,
  { automation, status, since, until, test }: RunFilter,
): Promise<ListedRun[]> {
  if (test !== undefined)
    throw usageError('This platform does not report which runs are tests.', 'Remove --test and --live.')
  const found: ListedRun[] = []
  for (const candidate of await automationsOf(context, automation)) {
    const answer = await context.call(automate.runs, { id: candidate.id, limit: maxRunsPerAutomation })
    if ('runs' in answer && Array.isArray(answer.runs))
      found.push(...answer.runs.map((run) => toListedRun(run, candidate)))
  }
  const startOf = (run: ListedRun): number => Date.parse(run.start_time)
  return found
    .filter(
      (run) =>
        (status === undefined || run.status === status) &&
        (since === undefined || startOf(run) >= since) &&
        (until === undefined || startOf(run) < until),
    )
    .sort((a, b) => startOf(b) - startOf(a))
}

/** Finds a run on such a platform by asking for each automation. @throws ClientFailure `not_found` */
export async function findRunByAutomation(
  context: Context,
  run_id: string,
  automation: string | undefined,
): Promise<ShownRun> {
  for (const candidate of await automationsOf(context, automation)) {
    const answer = await context.call(automate.runs, { id: candidate.id, run_id }).catch((error: unknown) => {
      if (error instanceof ClientFailure && error.exit === 'not_found' && automation === undefined) return undefined
      throw error
    })
    if (answer && 'run' in answer) return toShownRun(answer.run, candidate)
  }
  throw new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message: `Run ${run_id} not found.`,
    hint: 'List runs: parley automate runs list.',
  })
}

function toShownRun(run: Run, automation: NamedAutomation): ShownRun {
  const steps = Array.isArray(run.steps) ? run.steps.filter((it) => typeof it === 'object' && it !== null) : []
  return {
    ...toListedRun(run, automation),
    error: run.error ?? null,
    trigger: null,
    response: null,
    steps: steps.map(toShownStep),
    steps_omitted: null,
    shortened: null,
  }
}

const toShownStep = ({ name, status, classification, error, ...more }: RunStep): ShownStep => ({
  name,
  path: more.path ?? name,
  display_name: null,
  type: null,
  status,
  classification,
  attempts: more.attempts ?? null,
  started_at: more.started_at ?? null,
  duration_ms: more.duration_ms ?? null,
  wakes_at: null,
  called_run: null,
  input: null,
  output: null,
  error,
  earlier_errors: null,
  error_line: null,
  branches: null,
  iterations: null,
  unresolved: more.unresolved ?? null,
  log: more.log ?? null,
})

const iso = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString())

/** Returns the query for a Parley server. */
export function queryOf(
  { automation, status, since, until, test }: RunFilter,
  limit: number,
  cursor?: string,
): Record<string, unknown> {
  const query = { automation_id: automation, status, test, since: iso(since), until: iso(until), limit, cursor }
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
}
