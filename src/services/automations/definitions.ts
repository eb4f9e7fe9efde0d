import { readDefinition as read } from '../../automation/definition/examine.ts'
import { unmaskDefinition } from '../../automation/definition/mask.ts'
import { needsOf } from '../../automation/definition/needs.ts'
import { refusalOf } from '../../automation/definition/problem.ts'
import type { Sandbox } from '../../automation/sandbox/sandbox.ts'
import type { AutomationNode } from '../../contract/automation-node.ts'
import type { VersionRow } from '../../store/automations.ts'

/**
 * A definition in either form, as a tree; the syntax of code is looked at as well. A secret that is sent back hidden is the one `before` has in its place.
 * @throws Failure `automate.invalid_definition`, `unsupported_trigger`, `no_steps`
 */
export async function definitionOf(flow: unknown, sandbox: Sandbox, before?: Pick<VersionRow, 'definition'>): Promise<AutomationNode> {
  const sent = await read(flow, sandbox)
  const { definition, problems } = unmaskDefinition(sent, before ? (JSON.parse(before.definition) as AutomationNode) : null)
  if (problems.all.length > 0) throw refusalOf('automate.invalid_definition', problems.all)
  return definition
}

/** Names of the connections a definition cannot do without: kinds that pieces need, and those that expressions name. */
export function connectionsOf(trigger: AutomationNode): string[] {
  const { kinds, names } = needsOf(trigger)
  return [...new Set<string>([...kinds, ...names])]
}
