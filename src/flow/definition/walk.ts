import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { branchFields, type ChildField, childFields, isObject } from './node.ts'

/** A node of a tree and where it stands. */
export interface Visit {
  readonly node: AutomationNode
  /** The step it hangs on, and by which field; null for the trigger. */
  readonly parent: AutomationNode | null
  readonly field: ChildField | null
  /** The branch or loop it is inside of, and in which of its chains; null for the main chain. */
  readonly inside: { readonly node: AutomationNode; readonly field: ChildField } | null
  /** Branches and loops around it. */
  readonly nesting: number
}

/** Every node once, the trigger first, what is inside a step before what follows it. The stack is ours, so depth costs nothing. */
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

/** The steps without the trigger, in the order of `walk`. */
export function listStepNodes(trigger: AutomationNode): AutomationNode[] {
  return [...walk(trigger)].slice(1).map((it) => it.node)
}

/** The node of that name, the trigger's included. */
export function findNode(trigger: AutomationNode, name: string): AutomationNode | undefined {
  for (const { node } of walk(trigger)) if (node.name === name) return node
  return undefined
}
