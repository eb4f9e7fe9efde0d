import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { getOwn, nodeSettings } from './node.ts'

/** Branch of a ROUTER, with the conditions of the BRANCH that it was converted to. */
export interface RouterBranch {
  readonly branchName: string
  /** Undefined for the fallback, which runs if no other branch matches. */
  readonly conditions: unknown
  readonly isFallback: boolean
}

/**
 * Returns the branches of the ROUTER that a BRANCH was converted from, in order; undefined for other steps.
 * The conditions are read from the converted steps, so that an edited definition has them in one place.
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

/** Returns whether the first branch of a BRANCH was taken, according to its output, which is stored: a run that continues takes the same. */
export function isFirstBranchTaken(node: AutomationNode, output: unknown): boolean {
  const branches = getOwn(output, 'branches')
  const ways = Array.isArray(branches) ? listRouterBranches(node) : undefined
  if (!ways) return getOwn(output, 'condition') === true
  return getOwn((branches as unknown[])[ways.findIndex((it) => !it.isFallback)], 'evaluation') === true
}
