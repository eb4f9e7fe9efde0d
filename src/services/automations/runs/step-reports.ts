import type { RunStep } from '../../../contract/automations/automation-records.ts'
import { toIsoMillis } from '../../../jobs/clock.ts'
import type { StepRow } from '../../../store/automations/run-steps.ts'

const toStatus = ({ status }: StepRow): RunStep['status'] =>
  status === 'SUCCEEDED' ? 'SUCCEEDED' : status === 'FAILED' ? 'FAILED' : 'PAUSED'

export function classifyStep({ status, classification }: StepRow): RunStep['classification'] {
  if (status === 'SUCCEEDED') return 'ok'
  if (status === 'PAUSED' || classification === null) return 'paused_at_delay'
  return classification as RunStep['classification']
}

const parseLines = (json: string | null): string[] | undefined =>
  json === null ? undefined : (JSON.parse(json) as string[])

/** What became of each step, each turn of a loop by itself. One that is under way is not told of yet. */
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
        duration_ms:
          row.finished_at === null ? null : Math.max(0, Math.round((row.finished_at - row.started_at) / 1000)),
        ...(unresolved && { unresolved }),
        ...(log && { log }),
      }
    })
}

/** One line for each step, whatever loops it stands in: of its turns the first that failed, else the last. */
export function testReports(rows: readonly StepRow[]): RunStep[] {
  const byName = new Map<string, RunStep>()
  for (const report of stepReports(rows))
    if (byName.get(report.name)?.status !== 'FAILED') byName.set(report.name, report)
  return [...byName.values()].map(({ path: _, ...report }) => report)
}
