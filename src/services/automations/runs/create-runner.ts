import { Runner } from '../../../automation/run/runner.ts'
import { createStepMachine } from '../../../automation/run/step-machine.ts'
import { runJobKind } from '../../../store/automations/runs.ts'
import type { Deps } from '../../runtime/deps.ts'
import { createPorts } from '../ports/create-ports.ts'
import { newRunId } from '../publishing/automation-ids.ts'
import { openDefinition } from '../publishing/sealed-definitions.ts'
import { publishFailedRun } from './failed-run-event.ts'

/** Creates the runner that executes the automations of this process. */
export async function createRunner(deps: Deps): Promise<Runner> {
  const { connection, clock, owner, leases, wall, log, countEvent, vault } = deps
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
    newId: (query, now) => newRunId(query, deps, now),
    mayStoreLater: () => !deps.isSeeded(),
    random: Math.random,
    failed: publishFailedRun,
    ended: (status) => countEvent?.('run', { outcome: status }),
  })
  leases.setHolder('runner', ({ kind, subject }) => kind === runJobKind && runner.holds(subject))
  return runner
}
