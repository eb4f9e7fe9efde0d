import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { branchFields, type ChildField, childFields } from './node.ts'

/** Node of a tree and its position. */
export interface Visit {
  readonly node: AutomationNode
  /** Parent step and the field that holds this node; null for the trigger. */
  readonly parent: AutomationNode | null
  readonly field: ChildField | null
  /** The branch or loop that contains the node, and the chain in it; null for the main chain. */
  readonly inside: { readonly node: AutomationNode; readonly field: ChildField } | null
  /** Number of branches and loops around the node. */
  readonly nesting: number
}

/**
 * Yields every node once, the trigger first, and the steps inside a step before those after it. Uses an explicit stack,
 * so that depth is not limited.
 */
export function* walk(trigger: AutomationNode): Generator<Visit> {
  const stack: Visit[] = [{ node: trigger, parent: null, field: null, inside: null, nesting: 0 }]
  const seen = new Set<AutomationNode>()
  for (let visit = stack.pop(); visit; visit = stack.pop()) {
    const { node } = visit
    if (seen.has(node)) continue
    seen.add(node)
    yield visit
    for (const field of childFields.toReversed()) {
      const child = node[field]
      if (!isObject(child)) continue
      const isInner = (branchFields as readonly string[]).includes(field)
      const inside = isInner ? { node, field } : visit.inside
      stack.push({
        node: child as AutomationNode,
        parent: node,
        field,
        inside,
        nesting: visit.nesting + (isInner ? 1 : 0),
      })
    }
  }
}
