import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import { Failure } from '../../../../contract/errors/failures.ts'
import { toIsoMillis } from '../../../../contract/values/micros.ts'
import { createStepMachine } from '../../../../engine/runs/step-machine.ts'
import { Runner } from '../../../runs/runner.ts'
import type { FailedRun } from '../../../runs/runner-deps.ts'
import { findNamedRun, type RunRow, runJobKind } from '../../../store/automations/runs.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import type { AccountQuery } from '../../../store/database/connection.ts'
import { requireLiveKey } from '../../billing/key-budget.ts'
import { publishRunFailed } from '../../deliveries/event-publisher.ts'
import type { Deps } from '../../runtime/deps.ts'
import { createPorts } from '../ports/create-ports.ts'
import { requireAllowedEffects } from '../publishing/allowed-effects.ts'
import { newRunId } from '../publishing/automation-ids.ts'
import { openDefinition } from '../publishing/sealed-definitions.ts'

/**
 * Publishes the event of a failed live run, in the transaction that ends the run. The webhook of failed runs receives the payload, so
 * its fields are added, not renamed.
 */
async function publishFailedRun(query: AccountQuery, { run, error, now }: FailedRun): Promise<void> {
  const found = await findNamedRun(accountQuery(query, run.account_id), run.id)
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

/**
 * Returns why the key that started or enabled a run may not execute it: it has expired or was deleted, or its rights do
 * not include what the steps do, such as those of an automation that was called. Without `trigger`, only the first.
 */
async function findKeyProblem(
  { connection, clock }: Pick<Deps, 'connection' | 'clock'>,
  { account_id: id, key_id: keyId }: RunRow,
  trigger?: AutomationNode,
): Promise<string | undefined> {
  try {
    const key = await requireLiveKey(accountQuery(connection.read, id), { id, keyId }, await clock.now())
    if (trigger) requireAllowedEffects(key, trigger)
    return undefined
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return `${error.message} Enable the automation or start the run with another key.`
  }
}

/** Creates the runner that executes the automations of this process. */
export async function createRunner(deps: Deps): Promise<Runner> {
  const { connection, clock, owner, leases, wall, log, countEvent, measure, vault } = deps
  const ports = createPorts(deps)
  const sandbox = await deps.sandbox()
  const runner = new Runner({
    connection,
    owner,
    wall,
    log,
    ports,
    now: () => clock.recent(),
    machine: createStepMachine({ sandbox, connections: ports.connections }),
    openDefinition: (account, stored) => openDefinition(vault, account, stored),
    newId: (query, account, now) => newRunId(query, deps, account, now),
    mayStoreLater: () => !deps.isSeeded(),
    random: Math.random,
    findKeyProblem: (run, trigger) => findKeyProblem(deps, run, trigger),
    failed: publishFailedRun,
    measure,
    ended: (status) => countEvent?.('run', { outcome: status }),
  })
  leases.setHolder('runner', ({ kind, subject }) => kind === runJobKind && runner.holds(subject))
  return runner
}
