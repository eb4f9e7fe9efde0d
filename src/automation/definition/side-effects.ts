import type { AutomationNode } from '../../contract/automation-node.ts'
import { actionOf } from '../steps/registry.ts'
import { mayWrite } from './code-globals.ts'
import { inputOf, own } from './node.ts'
import { skippedIn } from './order.ts'
import { walk } from './walk.ts'

export interface SideEffect {
  readonly step: string
  readonly displayName: string
}

/** The steps that really send, call or write outside when they run, branches and loops included, those that are skipped not. */
export function sideEffectsOf(trigger: AutomationNode): SideEffect[] {
  const found: SideEffect[] = []
  const skipped = skippedIn(trigger)
  for (const { node } of walk(trigger)) {
    const name = String(node.name)
    if (skipped.has(name)) continue
    const source = node.type === 'CODE' ? own(own(node.settings, 'sourceCode'), 'code') : undefined
    const { acts } = (node.type === 'PIECE' && actionOf(node)) || {}
    if (typeof source === 'string' ? mayWrite(source) : typeof acts === 'function' ? acts(inputOf(node)) : acts)
      found.push({ step: name, displayName: node.displayName || name })
  }
  return found
}
