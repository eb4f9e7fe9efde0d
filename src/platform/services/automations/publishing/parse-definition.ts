import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import { findRequiredConnections } from '../../../../engine/analysis/required-connections.ts'
import { unmaskDefinition } from '../../../../engine/definition/mask.ts'
import { toFailure } from '../../../../engine/definition/problems.ts'
import { readDefinition as read } from '../../../../engine/definition/validate-definition.ts'
import type { Sandbox } from '../../../../engine/expressions/sandbox.ts'

/**
 * Parses a definition of either form into a tree, and checks the syntax of code. A masked secret is replaced by the
 * secret at the same place in `before`.
 * @throws Failure `automate.invalid_definition`, `unsupported_trigger`, `no_steps`
 */
export async function parseDefinition(
  flow: unknown,
  sandbox: Sandbox,
  before?: AutomationNode,
): Promise<AutomationNode> {
  const sent = await read(flow, sandbox)
  const { definition, problems } = unmaskDefinition(sent, before ?? null)
  if (problems.all.length > 0) throw toFailure('automate.invalid_definition', problems.all)
  return definition
}

/**
 * Returns the names of the connections a definition requires: the kinds that pieces need, and the names in expressions.
 */
export function listRequiredConnections(trigger: AutomationNode): string[] {
  const { kinds, names } = findRequiredConnections(trigger)
  return [...new Set<string>([...kinds, ...names])]
}
