import { Runner } from '../../automation/run/runner.ts'
import { createSandbox } from '../../automation/sandbox/pool.ts'
import { createStepMachine } from '../../automation/steps/machine.ts'
import type { Deps } from '../deps.ts'
import { newId } from './ids.ts'
import { createPorts } from './ports.ts'

/** What runs the automations of a process. */
export function createRunner(deps: Deps): Runner {
  const { connection, clock, owner, wall, log } = deps
  const ports = createPorts(deps)
  const sandbox = createSandbox()
  return new Runner({
    connection,
    owner,
    wall,
    log,
    ports,
    now: () => clock.now(),
    machine: { ...createStepMachine({ sandbox, connections: ports.connections }), close: () => sandbox.close() },
    newId: async (query) => newId(query, deps, 'automation_run', String(await clock.now(query))),
    random: Math.random,
  })
}
