import type { AutomationNode } from '../../contract/automation-node.ts'
import { isObject, own, settingsOf } from './node.ts'

/** A branch of a ROUTER, and the conditions of the BRANCH it became. */
export interface RouterWay {
  readonly branchName: string
  /** Undefined for the fallback, which is taken when no other is. */
  readonly conditions: unknown
  readonly isFallback: boolean
}

/**
 * The branches of the ROUTER that a BRANCH was made from, in its order; undefined for any other step. The conditions stay with the steps that the
 * branches became, so an edited definition has them in one place.
 */
export function routerWays(node: AutomationNode): readonly RouterWay[] | undefined {
  const router = node.type === 'BRANCH' ? own(settingsOf(node), 'router') : undefined
  const branches = own(router, 'branches')
  if (!Array.isArray(branches)) return undefined
  const next = own(router, 'executionType') === 'EXECUTE_ALL_MATCH' ? 'nextAction' : 'onFailureAction'
  let step: AutomationNode | null | undefined = node
  return branches.map((branch, at): RouterWay => {
    const branchName = String(own(branch, 'branchName') ?? '')
    if (own(branch, 'branchType') === 'FALLBACK') return { branchName, conditions: undefined, isFallback: true }
    const isOwn = step === node || own(step && settingsOf(step), 'routerBranch') === at
    const conditions = (isOwn && isObject(step) && own(settingsOf(step as AutomationNode), 'conditions')) || []
    step = step?.[next]
    return { branchName, conditions, isFallback: false }
  })
}

/** Whether the first way of a BRANCH is gone, by what it gave. */
export function isTaken(node: AutomationNode, output: unknown): boolean {
  const branches = own(output, 'branches')
  const ways = Array.isArray(branches) ? routerWays(node) : undefined
  if (!ways) return own(output, 'condition') === true
  return own((branches as unknown[])[ways.findIndex((it) => !it.isFallback)], 'evaluation') === true
}
