import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { isSkipped, nodeSettings } from '../definition/node.ts'
import { findPiece } from '../pieces/registry.ts'

const respondActions = new Set(['return_response', 'return_response_and_wait_for_next_webhook', 'respondToCall'])

/** Whether a step answers the caller. */
export function isRespondStep(node: AutomationNode): boolean {
  const { pieceName, actionName } = nodeSettings(node)
  return (
    node.type === 'PIECE' &&
    !isSkipped(node) &&
    findPiece(pieceName) !== undefined &&
    respondActions.has(String(actionName))
  )
}

/** Whether every way through ends in an answer: the main chain has one that is not skipped, or ends in a branch of which both sides have. */
export function alwaysResponds(trigger: AutomationNode): boolean {
  return chainResponds(trigger.nextAction ?? null)
}

// Branches stand in one another at most as deep as definitions may be.
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
