import type { AutomationNode } from '../../src/contract/automations/automation-node.ts'
import { walkSteps } from '../../src/contract/automations/walk-steps.ts'
import { validateDefinition } from '../../src/engine/definition/validate-definition.ts'

/** Returns the problems of a definition, as `step path: message`. Empty if it is valid. */
export const problemsOf = async (flow: unknown): Promise<string[]> => {
  const examined = await validateDefinition(flow)
  return examined.ok ? [] : examined.problems.map(({ step, path, message }) => `${step ?? '-'} ${path}: ${message}`)
}

/** Returns the trigger of a valid definition with its steps. */
export async function treeOf(flow: unknown): Promise<AutomationNode> {
  const examined = await validateDefinition(flow)
  if (!examined.ok) throw new Error(JSON.stringify(examined.problems))
  return examined.definition
}

/** Returns the names of a trigger and its steps in the order of their execution. */
export const namesIn = (trigger: AutomationNode): unknown[] => [...walkSteps(trigger)].map(({ node }) => node.name)
