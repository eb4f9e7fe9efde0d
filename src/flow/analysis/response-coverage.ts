import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { isSkipped, nodeSettings } from '../definition/node.ts'
import { findPiece } from '../pieces/registry.ts'

const respondActions = new Set(['return_response', 'return_response_and_wait_for_next_webhook', 'respondToCall'])

/** Returns whether a step sends a response to the caller. */
function isRespondStep(node: AutomationNode): boolean {
  const { pieceName, actionName } = nodeSettings(node)
  return (
    node.type === 'PIECE' &&
    !isSkipped(node) &&
    findPiece(pieceName) !== undefined &&
    respondActions.has(String(actionName))
  )
}

/**
 * Returns whether every path ends in a response: the main chain has a response step that is not skipped, or a branch of
 * which both sides respond.
 */
export function alwaysResponds(trigger: AutomationNode): boolean {
  return chainResponds(trigger.nextAction ?? null)
}

// The depth of this recursion is limited by the maximum nesting of definitions.
function chainResponds(first: AutomationNode | null): boolean {
  for (let node = first; node; node = node.nextAction ?? null) {
    if (isRespondStep(node)) return true
    if (
      node.type === 'BRANCH' &&
      !isSkipped(node) &&
      chainResponds(node.onSuccessAction ?? null) &&
      chainResponds(node.onFailureAction ?? null)
    )
      return true
  }
  return false
}
