import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { isObject } from '../../contract/values/json-object.ts'

const branchFields = ['onSuccessAction', 'onFailureAction', 'firstLoopAction'] as const
const childFields = [...branchFields, 'nextAction'] as const

/** A step of a definition and its position. */
export interface StepVisit {
  readonly node: AutomationNode
  /** The branch that the step is the first of; null for others. */
  readonly branch: (typeof branchFields)[number] | null
  /** Number of branches and loops around the step. */
  readonly nesting: number
}

/**
 * Yields every step of a definition of a platform once, the trigger first, and the steps inside a step before those
 * after it. Uses an explicit stack, so that depth is not limited.
 */
export function* walkSteps(trigger: unknown): Generator<StepVisit> {
  const seen = new Set<unknown>()
  const open: { node: unknown; branch: StepVisit['branch']; nesting: number }[] = [
    { node: trigger, branch: null, nesting: 0 },
  ]
  for (let it = open.pop(); it; it = open.pop()) {
    const { node, branch, nesting } = it
    if (!isObject(node) || seen.has(node)) continue
    seen.add(node)
    yield { node: node as unknown as AutomationNode, branch, nesting }
    for (const field of childFields.toReversed())
      open.push(
        field === 'nextAction'
          ? { node: node[field], branch: null, nesting }
          : { node: node[field], branch: field, nesting: nesting + 1 },
      )
  }
}
