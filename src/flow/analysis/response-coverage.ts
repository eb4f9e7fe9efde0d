import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { childOf } from '../../contract/automations/walk-steps.ts'
import { isSkipped, mayRun, nodeSettings } from '../definition/node.ts'
import { findPiece } from '../pieces/registry.ts'

const respondActions = new Set(['return_response', 'return_response_and_wait_for_next_webhook', 'respondToCall'])

/** Returns whether a step sends a response to the caller. */
function isRespondStep(node: AutomationNode): boolean {
  const { pieceName, actionName } = nodeSettings(node)
  return node.type === 'PIECE' && findPiece(pieceName) !== undefined && respondActions.has(String(actionName))
}

/** Returns whether every path ends in a response: of a branch, both sides must respond. */
export function alwaysResponds(trigger: AutomationNode): boolean {
  return chainResponds(childOf(trigger, 'nextAction'))
}

const bothSides = [
  ['onSuccessAction', 'onFailureAction'],
  ['continueOnFailureBranches.onSuccess', 'continueOnFailureBranches.onFailure'],
] as const

// The depth of this recursion is limited by the maximum nesting of definitions.
function chainResponds(first: AutomationNode | undefined): boolean {
  for (let node = first; node; node = childOf(node, 'nextAction')) {
    if (isSkipped(node)) continue
    const current = node
    if (isRespondStep(current)) return true
    if (bothSides.some((sides) => sides.every((it) => mayRun(current, it) && chainResponds(childOf(current, it)))))
      return true
  }
  return false
}
