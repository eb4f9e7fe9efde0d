import { Runner } from '../../automation/run/runner.ts'
import type { Deps } from '../deps.ts'
import { newId } from './ids.ts'
import { createMachine } from './machine.ts'
import { createPorts } from './ports.ts'

/** What runs the automations of a process. */
export function createRunner(deps: Deps): Runner {
  const { connection, clock, owner, wall, log } = deps
  return new Runner({
    connection,
    owner,
    wall,
    log,
    now: () => clock.now(),
    machine: createMachine(),
    ports: createPorts(deps),
    newId: async (query) => newId(query, deps, 'automation_run', String(await clock.now(query))),
    random: Math.random,
  })
}
