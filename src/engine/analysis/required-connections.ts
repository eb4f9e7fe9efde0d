import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { walkSteps } from '../../contract/automations/walk-steps.ts'
import { nodeInput } from '../definition/node.ts'
import { parsePath } from '../expressions/expression-path.ts'
import { findTokens } from '../expressions/tokens.ts'
import type { ConnectionKind } from '../pieces/ports.ts'
import { actionOf, triggerOf } from '../pieces/registry.ts'
import { findSkippedSteps } from './execution-order.ts'

/** Connections without which a definition cannot run. Skipped steps require none. */
interface RequiredConnections {
  /** Kinds of connections that steps and the trigger require, without duplicates. */
  readonly kinds: readonly ConnectionKind[]
  /** Names of connections that expressions refer to. */
  readonly names: readonly string[]
}

/**
 * Returns the connections that a definition uses. Rights follow from it: a restricted key needs the scope `spend` for an automation with connections
 * (allowed-effects.ts of the platform), so one that is left out here lets such a key use it. Plans and previews of a restore name them too.
 */
export function findRequiredConnections(trigger: AutomationNode): RequiredConnections {
  const kinds = new Set<ConnectionKind>()
  const names = new Set<string>()
  const skipped = findSkippedSteps(trigger)
  for (const { node } of walkSteps(trigger)) {
    if (skipped.has(String(node.name))) continue
    const kind =
      node === trigger ? triggerOf(node)?.connection : node.type === 'PIECE' ? actionOf(node)?.connection : undefined
    if (kind) kinds.add(kind)
    for (const { token } of findTokens(nodeInput(node))) {
      const path = parsePath(token)
      if (path?.root === 'connections' && path.keys[0] !== undefined) names.add(path.keys[0])
    }
  }
  return { kinds: [...kinds], names: [...names] }
}
