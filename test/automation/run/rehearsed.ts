import { readDefinition } from '../../../src/automation/definition/examine.ts'
import { compileDefinition } from '../../../src/automation/definition/publish.ts'
import { type SimulatedRun, simulateRun } from '../../../src/automation/run/rehearsal.ts'
import type { Sandbox } from '../../../src/automation/sandbox/sandbox.ts'
import type { AutomationNode } from '../../../src/contract/automation-node.ts'
import { webhook } from '../flows.ts'

/** Runs a definition as `automate test` does, without a platform. */
export async function runLocally(
  sandbox: Sandbox,
  steps: readonly AutomationNode[],
  body: unknown = {},
  mocks: Record<string, unknown> = {},
): Promise<SimulatedRun> {
  const trigger = await compileDefinition(await readDefinition({ trigger: webhook(), steps }, sandbox))
  const payload = { method: 'POST', headers: {}, queryParams: {}, body }
  return simulateRun({ trigger, payload, mocks, sandbox, now: Date.UTC(2031, 0, 1) * 1000, signal: new AbortController().signal })
}
