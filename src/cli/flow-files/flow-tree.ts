import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { safeLine } from '../terminal/safe-text.ts'

const chains = { onSuccessAction: 'on success', onFailureAction: 'on failure', firstLoopAction: 'in the loop' } as const

const isNode = (it: unknown): it is AutomationNode => typeof it === 'object' && it !== null && !Array.isArray(it)
const isText = (it: unknown): it is string => typeof it === 'string' && it !== ''

/** Describes a step: `step_2: Ask (piece-http send_request)`. */
function describeStep(node: AutomationNode): string {
  const { pieceName, triggerName, actionName } = isNode(node.settings) ? (node.settings as Record<string, unknown>) : {}
  const kind = isText(pieceName)
    ? [pieceName.replace(/^@[^/]*\//, ''), triggerName ?? actionName].filter(isText).join(' ')
    : node.type
  const name = isText(node.displayName) && node.displayName !== node.name ? ` ${node.displayName}` : ''
  return `${isText(node.name) ? node.name : 'step'}:${name}${isText(kind) ? ` (${kind})` : ''}${node.skip === true ? ', skipped' : ''}`
}

/** Renders the steps of a definition for people: one line each, indented by branch or loop. */
export function renderFlowTree(trigger: unknown): string[] {
  const lines: string[] = []
  const open: { node: unknown; depth: number; title?: string }[] = [{ node: trigger, depth: 0 }]
  // An explicit stack supports definitions of any depth.
  for (let it = open.pop(); it; it = open.pop()) {
    const { node, depth, title } = it
    if (!isNode(node)) continue
    const indent = '  '.repeat(depth)
    if (title) lines.push(`${'  '.repeat(depth - 1)}${title}:`)
    lines.push(safeLine(`${indent}${describeStep(node)}`))
    open.push({ node: node.nextAction, depth })
    for (const [field, words] of Object.entries(chains).toReversed())
      open.push({ node: node[field], depth: depth + 2, title: words })
  }
  return lines
}
