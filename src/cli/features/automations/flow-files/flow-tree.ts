import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import { chainTitles, walkSteps } from '../../../../contract/automations/walk-steps.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { safeLine } from '../../../program/terminal/safe-text.ts'

const isText = (it: unknown): it is string => typeof it === 'string' && it !== ''

/** Describes a step: `step_2: Ask (piece-http send_request)`. */
function describeStep(node: AutomationNode): string {
  const { pieceName, triggerName, actionName } = isObject(node.settings) ? node.settings : {}
  const kind = isText(pieceName)
    ? [pieceName.replace(/^@[^/]*\//, ''), triggerName ?? actionName].filter(isText).join(' ')
    : node.type
  const name = isText(node.displayName) && node.displayName !== node.name ? ` ${node.displayName}` : ''
  return `${isText(node.name) ? node.name : 'step'}:${name}${isText(kind) ? ` (${kind})` : ''}${node.skip === true ? ', skipped' : ''}`
}

/**
 * Renders the steps of a definition for people: one line each, indented by branch or loop. Scripts read the definition itself in
 * JSON, so the lines are free to change.
 */
export function renderFlowTree(trigger: unknown): string[] {
  return [...walkSteps(trigger)].flatMap(({ node, field, nesting }) => {
    const title =
      field === null || field === 'nextAction' ? [] : [`${'  '.repeat(2 * nesting - 1)}${chainTitles[field]}:`]
    return [...title, safeLine(`${'  '.repeat(2 * nesting)}${describeStep(node)}`)]
  })
}
