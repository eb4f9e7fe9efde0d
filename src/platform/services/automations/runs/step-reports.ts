import type { RunStep } from '../../../../contract/automations/automation-records.ts'
import { toIsoMillis } from '../../../../contract/values/micros.ts'
import { parseJson } from '../../../../node/json.ts'
import type { StepRow } from '../../../store/automations/run-steps.ts'

/**
 * Returns the duration of a run or step in milliseconds, without the time between failed attempts and their retries; null
 * while it has not ended. Times are in microseconds.
 */
export const durationMs = (
  from: number,
  { finished_at, idle }: { readonly finished_at: number | null; readonly idle: number },
): number | null => (finished_at === null ? null : Math.max(0, Math.round((finished_at - from - idle) / 1000)))

const toStatus = ({ status }: StepRow): RunStep['status'] =>
  status === 'SUCCEEDED' ? 'SUCCEEDED' : status === 'FAILED' ? 'FAILED' : 'PAUSED'

/** Returns the classification of a step as the API reports it. */
export function classifyStep({ status, classification }: StepRow): RunStep['classification'] {
  if (status === 'SUCCEEDED') return 'ok'
  if (status === 'PAUSED' || classification === null) return 'paused_at_delay'
  return classification
}

const parseLines = (json: string | null): string[] | undefined => (json === null ? undefined : parseJson(json))

/** Returns a report for each step, and for each iteration of a loop separately. Steps in progress are omitted. */
export function stepReports(rows: readonly StepRow[]): RunStep[] {
  return rows
    .filter((row) => row.status !== 'RUNNING')
    .map((row) => {
      const unresolved = parseLines(row.unresolved)
      const log = parseLines(row.log)
      return {
        name: row.name,
        status: toStatus(row),
        classification: classifyStep(row),
        error: row.error,
        ...(row.path !== row.name && { path: row.path }),
        attempts: row.attempt,
        started_at: toIsoMillis(row.started_at),
        duration_ms: durationMs(row.started_at, row),
        ...(unresolved && { unresolved }),
        ...(log && { log }),
      }
    })
}

/** Returns one report for each step name. For a step in a loop this is the first failed iteration, else the last. */
export function testReports(rows: readonly StepRow[]): RunStep[] {
  const byName = new Map<string, RunStep>()
  for (const report of stepReports(rows))
    if (byName.get(report.name)?.status !== 'FAILED') byName.set(report.name, report)
  return [...byName.values()].map(({ path: _, ...report }) => report)
}
