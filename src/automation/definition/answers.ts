import type { AutomationNode } from '../../contract/automation-node.ts'
import { findPiece } from '../steps/registry.ts'
import { isSkipped, settingsOf } from './node.ts'

const responding = new Set(['return_response', 'return_response_and_wait_for_next_webhook', 'respondToCall'])

/** Whether a step answers the caller. */
export function isRespond(node: AutomationNode): boolean {
  const { pieceName, actionName } = settingsOf(node)
  return node.type === 'PIECE' && !isSkipped(node) && findPiece(pieceName) !== undefined && responding.has(String(actionName))
}

/** Whether every way through ends in an answer: the main chain has one that is not skipped, or ends in a branch of which both sides have. */
export function alwaysAnswers(trigger: AutomationNode): boolean {
  return answersFrom(trigger.nextAction ?? null)
}

// Branches stand in one another at most as deep as definitions may be.
function answersFrom(first: AutomationNode | null): boolean {
  for (let node = first; node; node = node.nextAction ?? null) {
    if (isRespond(node)) return true
    if (node.type === 'BRANCH' && !isSkipped(node) && answersFrom(node.onSuccessAction ?? null) && answersFrom(node.onFailureAction ?? null)) return true
  }
  return false
}
