import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import { listChangedResources, staysInside } from '../../../../engine/analysis/external-actions.ts'
import { findRequiredConnections } from '../../../../engine/analysis/required-connections.ts'
import { type RestrictedKey, requireNoun, requireSpendScope } from '../../runtime/key-access.ts'

/** Returns whether a definition can cost money, send data out or show the secret of a connection. */
function needsSpend(trigger: AutomationNode): boolean {
  const { kinds, names } = findRequiredConnections(trigger)
  return !staysInside(trigger) || [...kinds, ...names].length > 0
}

/**
 * Refuses a key for a definition whose steps do more than the key may: without the scope `spend`, what can cost money,
 * send data out or show the secret of a connection, and changes of resources that the key is not for. @throws Failure 403
 */
export function requireAllowedEffects(key: RestrictedKey | undefined, trigger: AutomationNode): void {
  if (!key) return
  if (needsSpend(trigger)) requireSpendScope(key, 'automate.update')
  for (const resource of listChangedResources(trigger)) requireNoun(key, resource, 'a step of the automation')
}
