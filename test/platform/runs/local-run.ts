import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import { compileDefinition } from '../../../src/engine/definition/compile-definition.ts'
import { readDefinition } from '../../../src/engine/definition/validate-definition.ts'
import type { Sandbox } from '../../../src/engine/expressions/sandbox.ts'
import { type SimulatedRun, simulateRun } from '../../../src/engine/runs/simulate-run.ts'
import { webhook } from '../../support/automation-nodes.ts'

/** Runs a definition as `automate test` does, without a platform. */
export async function runLocally(
  sandbox: Sandbox,
  steps: readonly AutomationNode[],
  body: unknown = {},
  mocks: Record<string, unknown> = {},
): Promise<SimulatedRun> {
  const trigger = await compileDefinition(await readDefinition({ trigger: webhook(), steps }, sandbox))
  const payload = { method: 'POST', headers: {}, queryParams: {}, body }
  return simulateRun({
    trigger,
    payload,
    mocks,
    sandbox,
    now: Date.UTC(2031, 0, 1) * 1000,
    signal: new AbortController().signal,
  })
}
