import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { getOwn, isObject, nodeSettings } from './node.ts'

/** A branch of a ROUTER, and the conditions of the BRANCH it became. */
export interface RouterBranch {
  readonly branchName: string
  /** Undefined for the fallback, which is taken when no other is. */
  readonly conditions: unknown
  readonly isFallback: boolean
}

/**
 * The branches of the ROUTER that a BRANCH was made from, in its order; undefined for any other step. The conditions stay with the steps that the
 * branches became, so an edited definition has them in one place.
 */
export function listRouterBranches(node: AutomationNode): readonly RouterBranch[] | undefined {
  const router = node.type === 'BRANCH' ? getOwn(nodeSettings(node), 'router') : undefined
  const branches = getOwn(router, 'branches')
  if (!Array.isArray(branches)) return undefined
  const next = getOwn(router, 'executionType') === 'EXECUTE_ALL_MATCH' ? 'nextAction' : 'onFailureAction'
  let step: AutomationNode | null | undefined = node
  return branches.map((branch, at): RouterBranch => {
    const branchName = String(getOwn(branch, 'branchName') ?? '')
    if (getOwn(branch, 'branchType') === 'FALLBACK') return { branchName, conditions: undefined, isFallback: true }
    const isOwn = step === node || getOwn(step && nodeSettings(step), 'routerBranch') === at
    const conditions = (isOwn && isObject(step) && getOwn(nodeSettings(step as AutomationNode), 'conditions')) || []
    step = step?.[next]
    return { branchName, conditions, isFallback: false }
  })
}

/** Whether the first way of a BRANCH is gone, by what it gave. */
export function isFirstBranchTaken(node: AutomationNode, output: unknown): boolean {
  const branches = getOwn(output, 'branches')
  const ways = Array.isArray(branches) ? listRouterBranches(node) : undefined
  if (!ways) return getOwn(output, 'condition') === true
  return getOwn((branches as unknown[])[ways.findIndex((it) => !it.isFallback)], 'evaluation') === true
}
