import type { CancelledRun } from '../../../../contract/automations/run-records.ts'
import { Failure } from '../../../../contract/errors/failures.ts'
import { cancelClaims } from '../../../runs/cancel-claims.ts'
import { findNamedRun } from '../../../store/automations/runs.ts'
import type { Deps } from '../../runtime/deps.ts'
import { toSummary } from './run-records.ts'

/**
 * Cancels a run that is running or waiting, with the runs that it waits for. Returns the run; one that had ended is
 * returned unchanged. A step that is running in another process may still take effect, but its result is not stored and
 * no further step starts.
 * @throws Failure 404
 */
export async function cancelRun(deps: Deps, account: number, id: string): Promise<CancelledRun> {
  const cancelled = await deps.connection.write({ account }, async (query) => {
    const run = await findNamedRun(query, account, id)
    if (!run) throw new Failure('automate.run_record_not_found')
    // A test that waits has ended as PAUSED: it has no job and never continues.
    return run.finished_at === null ? cancelClaims(query, run, await deps.clock.now(query)) : []
  })
  if (cancelled.length > 0) {
    const runner = await deps.runner()
    for (const it of cancelled) runner.abort(it)
  }
  const run = await findNamedRun(deps.connection.read, account, id)
  if (!run) throw new Failure('automate.run_record_not_found')
  return { ...toSummary(run), also_cancelled: cancelled.slice(1) }
}
