import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { walkSteps } from '../../contract/automations/walk-steps.ts'
import { getOwn, nodeInput } from '../definition/node.ts'
import { actionOf } from '../pieces/registry.ts'
import { mayChangeRemoteData } from './code-analysis.ts'
import { findSkippedSteps } from './execution-order.ts'

export interface SideEffect {
  readonly step: string
  readonly displayName: string
}

/** Returns the steps that send, call or write outside, also in branches and loops. Excludes skipped steps. */
export function listSideEffects(trigger: AutomationNode): SideEffect[] {
  const found: SideEffect[] = []
  const skipped = findSkippedSteps(trigger)
  for (const { node } of walkSteps(trigger)) {
    const name = String(node.name)
    if (skipped.has(name)) continue
    const source = node.type === 'CODE' ? getOwn(getOwn(node.settings, 'sourceCode'), 'code') : undefined
    const { hasSideEffects } = (node.type === 'PIECE' && actionOf(node)) || {}
    if (
      typeof source === 'string'
        ? mayChangeRemoteData(source)
        : typeof hasSideEffects === 'function'
          ? hasSideEffects(nodeInput(node))
          : hasSideEffects
    )
      found.push({ step: name, displayName: node.displayName || name })
  }
  return found
}
