// The form in which definitions are written to files and compared: one key order, no computed fields. Another order would show
// differences in every project.

import type { AutomationNode } from './automation-node.ts'
import { childFields, childOf, readChild, setChild } from './walk-steps.ts'

/** Returns the trigger and the steps of the main chain as a list. The key order is the same for the same definition. */
export function toFlow(trigger: AutomationNode): { trigger: object; steps: object[] } {
  const steps: object[] = []
  for (let node = trigger.nextAction; node; node = node.nextAction)
    steps.push(orderKeys({ ...node, nextAction: undefined }))
  return { trigger: orderKeys({ ...trigger, nextAction: undefined }), steps }
}

/** Returns the definition of a flow: the trigger, with the steps of the main chain after it. */
export const fromFlow = (trigger: AutomationNode, steps: readonly AutomationNode[]): AutomationNode =>
  [trigger, ...steps].reduceRight((next, node) => ({ ...node, nextAction: next }))

const keyOrder = [
  'name',
  'displayName',
  'type',
  'settings',
  ...new Set(childFields.map((it) => it.split('.')[0] ?? it)),
]

/** Orders the keys of a node as files have them, with the name first. Removes computed and empty fields. */
function orderKeys(node: AutomationNode): AutomationNode {
  const copy: AutomationNode = { ...node }
  for (const field of childFields) {
    const child = childOf(node, field)
    if (readChild(copy, field) !== undefined) setChild(copy, field, child && orderKeys(child))
  }
  const entries = Object.entries(copy).filter(
    ([key, value]) =>
      value !== undefined &&
      value !== null &&
      key !== 'valid' &&
      !(key === 'continueOnFailureBranches' && Object.keys(value as object).length === 0),
  )
  const order = (key: string): number => (keyOrder.includes(key) ? keyOrder.indexOf(key) : keyOrder.length)
  return Object.fromEntries(entries.sort(([a], [b]) => order(a) - order(b) || (a < b ? -1 : 1)))
}
