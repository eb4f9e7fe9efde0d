import type { AutomationNode } from '../../contract/automation-node.ts'
import { actionOf } from '../steps/registry.ts'
import { mayWrite } from './code-globals.ts'
import { inputOf, isSkipped, own } from './node.ts'
import { walk } from './walk.ts'

export interface SideEffect {
  readonly step: string
  readonly displayName: string
}

/** The steps that really send, call or write outside when they run, branches and loops included, those that are stepped over not. */
export function sideEffectsOf(trigger: AutomationNode): SideEffect[] {
  const found: SideEffect[] = []
  for (const { node } of walk(trigger)) {
    const source = node.type === 'CODE' && !isSkipped(node) ? own(own(node.settings, 'sourceCode'), 'code') : undefined
    const { acts } = (!isSkipped(node) && node.type === 'PIECE' && actionOf(node)) || {}
    const name = String(node.name)
    if (typeof source === 'string' ? mayWrite(source) : typeof acts === 'function' ? acts(inputOf(node)) : acts)
      found.push({ step: name, displayName: node.displayName || name })
  }
  return found
}
