import type { FailedRun } from '../../../automation/run/runner-deps.ts'
import { toIsoMillis } from '../../../contract/values/micros.ts'
import { findNamedRun } from '../../../store/automations/runs.ts'
import type { Query } from '../../../store/database/connection.ts'
import { publishRunFailed } from '../../deliveries/event-publisher.ts'

/** Publishes the event of a failed live run, in the transaction that ends the run. */
export async function publishFailedRun(query: Query, { run, error, now }: FailedRun): Promise<void> {
  const found = await findNamedRun(query, run.account_id, run.id)
  const payload = {
    automation_id: run.automation_id,
    automation_name: found?.automation_name ?? null,
    version: found?.version ?? null,
    run_id: run.id,
    status: 'FAILED',
    error,
    start_time: toIsoMillis(run.created_at),
    end_time: toIsoMillis(now),
  }
  await publishRunFailed(query, {
    account: run.account_id,
    kind: 'automation.run_failed',
    subject: `run ${run.id}`,
    payload,
    now,
  })
}
